//! How long bars are. Counts are drawn on a logarithmic scale that begins at 0, so that 11 and 464,233 can both be seen;
//! calls on a linear one that begins at the calls every job needs. Scales depend on the settings and not on the counts, as far as
//! can be, so that a bar that moves with a slider tells of its number alone.

use twiceproof_sim::table::witness::Cell;
use twiceproof_sim::table::{Row, TableParams};

use super::run::Shown;

/// A column of numbers that is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    Failed,
    Calls,
    Repeated,
    TwoEmails,
}

impl Measure {
    pub(super) const ALL: [Self; 4] = [Self::Failed, Self::Calls, Self::Repeated, Self::TwoEmails];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Failed => "Failed",
            Self::Calls => "Calls per job",
            Self::Repeated => "Steps done again",
            Self::TwoEmails => "2+ emails",
        }
    }

    /// The paint of its bars.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Failed => "bar-fail",
            Self::Calls => "bar-n",
            Self::Repeated | Self::TwoEmails => "bar-dup",
        }
    }

    /// What single sign-ups add to it; each makes calls.
    pub(super) fn cell(self) -> Option<Cell> {
        match self {
            Self::Failed => Some(Cell::Failed),
            Self::Calls => None,
            Self::Repeated => Some(Cell::RepeatedSteps),
            Self::TwoEmails => Some(Cell::TwoEmails),
        }
    }

    /// Its number in a row.
    pub(super) fn of(self, row: &Row) -> f64 {
        match self {
            Self::Failed => row.failed as f64,
            Self::Calls => row.calls_per_job(),
            Self::Repeated => row.repeated_steps as f64,
            Self::TwoEmails => row.two_emails as f64,
        }
    }

    /// What theory expects in a row, as far as it is run.
    pub(super) fn expected(self, shown: &Shown, row: usize) -> f64 {
        let (theory, jobs) = (&shown.theory[row], shown.table.rows[row].jobs);
        match self {
            Self::Failed => theory.failed_of(jobs).mean,
            // Of no sign-up there is nothing to expect.
            Self::Calls if jobs == 0 => f64::NAN,
            Self::Calls => theory.calls.mean,
            Self::Repeated => theory.repeated_steps_of(jobs).mean,
            Self::TwoEmails => theory.two_emails_of(jobs).mean,
        }
    }

    pub(super) fn scale(self, shown: &Shown) -> Scale {
        let TableParams { jobs, steps, .. } = shown.table.params;
        match self {
            Self::Failed | Self::TwoEmails => Scale::Log { top: jobs.max(1) as f64 },
            Self::Repeated => Scale::Log { top: (jobs.max(1) * u64::from(steps)) as f64 },
            Self::Calls => {
                let steps = f64::from(steps);
                let most = shown.theory.iter().map(|theory| theory.calls.mean).fold(0.0, f64::max);
                Scale::Linear { from: steps, to: steps + round_up((most - steps).max(steps * 0.1)) }
            }
        }
    }
}

/// From numbers to shares of the longest bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scale {
    /// From 0 to the top.
    Log {
        top: f64,
    },
    Linear {
        from: f64,
        to: f64,
    },
}

impl Scale {
    pub(super) fn share(self, value: f64) -> f64 {
        let share = match self {
            Self::Log { top } => value.ln_1p() / top.ln_1p(),
            Self::Linear { from, to } => (value - from) / (to - from),
        };
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Where lines help: at 0 and the powers of ten, or at both ends and half way.
    pub(super) fn lines(self) -> Vec<f64> {
        match self {
            Self::Log { top } => {
                let powers = (0..).map(|power| 10_f64.powi(power)).take_while(|power| *power <= top);
                [0.0].into_iter().chain(powers).collect()
            }
            Self::Linear { from, to } => vec![from, f64::midpoint(from, to), to],
        }
    }
}

/// The next of 1, 2, 5, 10, 20 and so on.
fn round_up(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .map(|first| first * power)
        .into_iter()
        .find(|round| *round >= value * 0.999_999)
        .unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_no_bar_and_all_is_the_longest() {
        let scale = Scale::Log { top: 1e6 };
        assert_eq!((scale.share(0.0), scale.share(1e6), scale.share(1e9)), (0.0, 1.0, 1.0));
        assert!(scale.share(11.0) > 0.1 && scale.share(11.0) < scale.share(250.0));
        assert_eq!(scale.lines(), [0.0, 1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6]);
        let calls = Scale::Linear { from: 10.0, to: 11.0 };
        assert_eq!((calls.share(10.5), calls.share(f64::NAN)), (0.5, 0.0));
    }

    #[test]
    fn ends_are_round() {
        for (value, end) in [(1.0, 1.0), (1.3, 2.0), (0.07, 0.1), (23.0, 50.0), (5.1, 10.0), (0.1, 0.1)] {
            assert!((round_up(value) - end).abs() < 1e-9, "{value}: {}", round_up(value));
        }
    }
}
