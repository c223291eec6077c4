//! What the tests test: the finished site and the finished package, each built at most once in a run, and beside what
//! `site` makes, so that a test run never changes what is about to be published.

use crate::pack::{self, Package};
use crate::site::{self, Quality};
use crate::workspace::Workspace;
use anyhow::Result;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// Why there is no site to test.
pub(crate) const NO_SITE: &str = "web/index.html does not exist yet, so there is no site";
/// Why there is no package to test.
pub(crate) const NO_PACKAGE: &str = "crates/wasm/npm/package.json does not exist yet, so there is no package";

/// Built when first asked for.
#[derive(Default)]
pub(crate) struct Subjects {
    site: OnceCell<PathBuf>,
    package: OnceCell<Package>,
}

impl Subjects {
    /// The folder of the site, optimised as it is published; nothing while its sources do not exist.
    pub(crate) fn site(&self, workspace: &Workspace) -> Result<Option<&Path>> {
        if self.site.get().is_none() {
            if !site::exists(workspace) {
                return Ok(None);
            }
            let folder = workspace.target.join("site");
            site::build(workspace, Quality::Release, &folder, "./")?;
            self.site.set(folder).ok();
        }
        Ok(self.site.get().map(PathBuf::as_path))
    }

    /// The package; nothing while its sources do not exist.
    pub(crate) fn package(&self, workspace: &Workspace) -> Result<Option<&Package>> {
        if self.package.get().is_none() {
            if !pack::exists(workspace) {
                return Ok(None);
            }
            self.package.set(pack::build(workspace)?).ok();
        }
        Ok(self.package.get())
    }
}
