//! Which part of a payload is compared: all of it, all but some places, or some places only. For fields that change
//! from request to request though the request is the same (the time it was received, a trace ID).

use alloc::{sync::Arc, vec::Vec};

use serde_json::{Map, Value};

use crate::{
    limits::{PROJECTION_PATH_BYTES_MAX, PROJECTION_PATHS_MAX},
    options::InvalidOption,
};

/// A place in a payload: member names and element numbers, parted by dots, `*` for each (`items.*.seenAt`).
type Path = Arc<[Arc<str>]>;

/// Which part of a payload is compared. The default is all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Projection {
    omit: Vec<Path>,
    pick: Option<Vec<Path>>,
}

impl Projection {
    /// All places but `omit`; with `pick`, of these places only. A place that a payload does not have is no error:
    /// payloads differ.
    pub fn new(omit: &[&str], pick: Option<&[&str]>) -> Result<Self, InvalidOption> {
        Ok(Self {
            omit: paths("fingerprint.omit", omit)?,
            pick: pick.map(|pick| paths("fingerprint.pick", pick)).transpose()?,
        })
    }

    /// Whether all is compared.
    pub(super) fn is_all(&self) -> bool {
        self.omit.is_empty() && self.pick.is_none()
    }

    /// The part of `value` that is compared.
    pub(super) fn apply(&self, value: Value) -> Value {
        let mut value = match &self.pick {
            None => value,
            Some(paths) => {
                let paths: Vec<&[Arc<str>]> = paths.iter().map(|path| &**path).collect();
                // An object of which nothing is picked is an empty one, so that a conflict names the member that is missing.
                let nothing = || if value.is_object() { Value::Object(Map::new()) } else { Value::Null };
                pick(&value, &paths).unwrap_or_else(nothing)
            }
        };
        self.omit.iter().for_each(|path| omit(&mut value, path));
        value
    }
}

fn paths(option: &str, paths: &[&str]) -> Result<Vec<Path>, InvalidOption> {
    if paths.len() > PROJECTION_PATHS_MAX {
        return Err(InvalidOption::new(option, "at most 100 paths", paths.len()));
    }
    paths
        .iter()
        .map(|path| {
            let good = path.len() <= PROJECTION_PATH_BYTES_MAX && path.split('.').all(|part| !part.is_empty());
            if good {
                Ok(path.split('.').map(Arc::from).collect())
            } else {
                Err(InvalidOption::new(option, "paths such as \"meta.traceId\"", alloc::format!("\"{path}\"")))
            }
        })
        .collect()
}

fn omit(value: &mut Value, path: &[Arc<str>]) {
    let Some((first, rest)) = path.split_first() else { return };
    let each = **first == *"*";
    match value {
        Value::Object(members) if rest.is_empty() && each => members.clear(),
        Value::Object(members) if rest.is_empty() => drop(members.remove(&**first)),
        Value::Object(members) if each => members.values_mut().for_each(|member| omit(member, rest)),
        Value::Object(members) => members.get_mut(&**first).into_iter().for_each(|member| omit(member, rest)),
        Value::Array(items) if rest.is_empty() && each => items.clear(),
        // An element that is left out leaves its place: the others keep their numbers.
        Value::Array(items) => {
            let wanted = first.parse::<usize>().ok();
            for (index, item) in items.iter_mut().enumerate() {
                if each || wanted == Some(index) {
                    if rest.is_empty() { *item = Value::Null } else { omit(item, rest) }
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The places `paths` of `value`, in the shape of `value`; `None` if it has none of them.
fn pick(value: &Value, paths: &[&[Arc<str>]]) -> Option<Value> {
    if paths.iter().any(|path| path.is_empty()) {
        return Some(value.clone());
    }
    let below = |name: &str| -> Vec<&[Arc<str>]> {
        let fits = |path: &&&[Arc<str>]| *path[0] == *name || *path[0] == *"*";
        paths.iter().filter(fits).map(|path| &path[1..]).collect()
    };
    let picked = |name: &str, part: &Value| {
        let below = below(name);
        if below.is_empty() { None } else { pick(part, &below) }
    };
    match value {
        Value::Object(members) => {
            // One by one: a map that is collected is sorted first, by code that is needed for nothing else.
            let mut kept = Map::new();
            for (name, part) in members {
                if let Some(part) = picked(name, part) {
                    kept.insert(name.clone(), part);
                }
            }
            (!kept.is_empty()).then_some(Value::Object(kept))
        }
        Value::Array(items) => {
            let kept = |(index, part): (usize, &Value)| picked(&alloc::format!("{index}"), part);
            let kept: Vec<Option<Value>> = items.iter().enumerate().map(kept).collect();
            let any = kept.iter().any(Option::is_some);
            any.then(|| Value::Array(kept.into_iter().map(|part| part.unwrap_or(Value::Null)).collect()))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};

    use super::*;

    fn applied(omit: &[&str], pick: Option<&[&str]>, json: &str) -> String {
        Projection::new(omit, pick).unwrap().apply(serde_json::from_str(json).unwrap()).to_string()
    }

    #[test]
    fn s2_3_omitted_places_are_left_out_and_missing_ones_are_no_error() {
        let json = r#"{"a":1,"meta":{"at":5,"by":"x"},"items":[{"n":1,"at":1},{"n":2}]}"#;
        assert_eq!(
            applied(&["meta.at", "items.*.at", "none.such"], None, json),
            r#"{"a":1,"items":[{"n":1},{"n":2}],"meta":{"by":"x"}}"#
        );
        assert_eq!(applied(&["items.*", "meta.*"], None, json), r#"{"a":1,"items":[],"meta":{}}"#);
        assert_eq!(applied(&["items.0", "meta"], None, json), r#"{"a":1,"items":[null,{"n":2}]}"#);
    }

    #[test]
    fn s2_3_picked_places_are_all_that_is_left() {
        let json = r#"{"a":1,"meta":{"at":5,"by":"x"},"items":[{"n":1,"at":1},{"n":2}]}"#;
        assert_eq!(
            applied(&[], Some(&["a", "meta.by", "items.*.n"]), json),
            r#"{"a":1,"items":[{"n":1},{"n":2}],"meta":{"by":"x"}}"#
        );
        assert_eq!(applied(&["meta.at"], Some(&["meta"]), json), r#"{"meta":{"by":"x"}}"#);
        assert_eq!(applied(&[], Some(&["none"]), json), "{}");
        assert_eq!(applied(&[], Some(&["a"]), "7"), "null");
    }

    #[test]
    fn s2_13_a_path_that_is_none_is_refused_by_name() {
        let error = Projection::new(&["a..b"], None).unwrap_err();
        assert_eq!(error.to_string(), "fingerprint.omit needs paths such as \"meta.traceId\", got \"a..b\"");
        assert!(Projection::new(&[], Some(&[""])).is_err());
    }
}
