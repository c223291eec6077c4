//! What the comparison can be set to: each setting's slider, and the text of the field beside it.
//!
//! A slider has places, counted from 0, that are spread as a reader wants them: evenly for small whole numbers,
//! 1-2-5 for sign-ups, and finer towards nothing for probabilities. The field takes any value of the table's limits; the slider then
//! stands at the place nearest to it. Deliberately not here: any element.

use twiceproof_sim::table::{ATTEMPTS_MAX, JOBS_MAX, STEPS_MAX, TableParams, format};

use crate::units;

/// One thing to be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Setting {
    SignUps,
    Fail,
    Lost,
    Attempts,
    Steps,
    Seed,
}

/// The article's email step; in shorter jobs the last step sends the email.
const EMAIL_STEP: u32 = 7;

impl Setting {
    pub(super) const ALL: [Self; 6] = [Self::SignUps, Self::Fail, Self::Lost, Self::Attempts, Self::Steps, Self::Seed];

    /// Its id, and the id's beginning of all that belongs to it.
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::SignUps => "table-sign-ups",
            Self::Fail => "table-fail",
            Self::Lost => "table-lost",
            Self::Attempts => "table-attempts",
            Self::Steps => "table-steps",
            Self::Seed => "table-seed",
        }
    }

    /// What stands beside it.
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::SignUps => "Sign-ups",
            Self::Fail => "Calls that fail",
            Self::Lost => "Email replies lost",
            Self::Attempts => "Attempts",
            Self::Steps => "Steps",
            Self::Seed => "Seed",
        }
    }

    /// What its field can hold.
    pub(super) fn needs(self) -> String {
        let whole = |from: u64, to: u64| format!("a whole number from {from} to {}", format::grouped(to));
        match self {
            Self::SignUps => whole(1, JOBS_MAX),
            Self::Fail | Self::Lost => "a percentage from 0 to 100".to_owned(),
            Self::Attempts => whole(1, ATTEMPTS_MAX.into()),
            Self::Steps => whole(1, STEPS_MAX.into()),
            Self::Seed => whole(0, u32::MAX.into()),
        }
    }

    /// Its value as text.
    pub(super) fn text(self, params: &TableParams) -> String {
        match self {
            Self::SignUps => format::grouped(params.jobs),
            Self::Fail => units::percent(params.fail),
            Self::Lost => units::percent(params.lost),
            Self::Attempts => params.attempts.to_string(),
            Self::Steps => params.steps.to_string(),
            Self::Seed => params.seed.to_string(),
        }
    }

    /// The parameters with what was typed; none if it is not what the setting needs.
    pub(super) fn typed(self, text: &str, params: &TableParams) -> Option<TableParams> {
        let next = match self {
            Self::Fail => TableParams { fail: units::read_percent(text)?, ..*params },
            Self::Lost => TableParams { lost: units::read_percent(text)?, ..*params },
            _ => self.whole(units::read_whole(text)?, params)?,
        };
        next.validate().ok().map(|()| next)
    }

    /// The parameters with the slider at a place.
    pub(super) fn at(self, place: u32, params: &TableParams) -> TableParams {
        let place = place.min(self.last());
        let next = match self {
            Self::SignUps => self.whole(sign_ups(place), params),
            Self::Fail => Some(TableParams { fail: probability(place), ..*params }),
            Self::Lost => Some(TableParams { lost: probability(place), ..*params }),
            Self::Attempts | Self::Steps => self.whole(u64::from(place) + 1, params),
            Self::Seed => self.whole(place.into(), params),
        };
        next.unwrap_or(*params)
    }

    /// The slider's last place.
    pub(super) fn last(self) -> u32 {
        match self {
            Self::SignUps => 21,
            Self::Fail | Self::Lost => 59,
            Self::Attempts => 9,
            Self::Steps => 29,
            Self::Seed => 100,
        }
    }

    /// The place nearest to the value; of two as near the lower.
    pub(super) fn place(self, params: &TableParams) -> u32 {
        let amount = |params: &TableParams| match self {
            // By ratio, as the places are.
            Self::SignUps => (params.jobs as f64).max(1.0).ln(),
            Self::Fail => params.fail,
            Self::Lost => params.lost,
            Self::Attempts => params.attempts.into(),
            Self::Steps => params.steps.into(),
            Self::Seed => params.seed.into(),
        };
        let wanted = amount(params);
        let away = |place: &u32| (amount(&self.at(*place, params)) - wanted).abs();
        (0..=self.last()).min_by(|one, other| away(one).total_cmp(&away(other))).unwrap_or(0)
    }

    fn whole(self, value: u64, params: &TableParams) -> Option<TableParams> {
        let small = u32::try_from(value).ok();
        Some(match self {
            // A table of none would have nothing to say.
            Self::SignUps => TableParams { jobs: Some(value).filter(|jobs| *jobs > 0)?, ..*params },
            Self::Attempts => TableParams { attempts: small?, ..*params },
            Self::Steps => with_steps(small?, params),
            Self::Seed => TableParams { seed: small?, ..*params },
            Self::Fail | Self::Lost => return None,
        })
    }
}

/// Jobs of so many steps, with the email in the article's place if there is one.
pub fn with_steps(steps: u32, params: &TableParams) -> TableParams {
    TableParams { steps, lost_step: EMAIL_STEP.min(steps), ..*params }
}

/// 100, 200, 500, 1,000 and so on, to 1,000,000,000.
fn sign_ups(place: u32) -> u64 {
    [1, 2, 5][place as usize % 3] * 10_u64.pow(2 + place / 3)
}

/// From 0 to 20 %, in hundredths of a per cent: by 0.01 % to 0.1 %, by 0.05 % to 1 %, by 0.25 % to 5 %, by 1 % from there.
fn probability(place: u32) -> f64 {
    let hundredths = match place {
        0..=10 => place,
        11..=28 => 10 + (place - 10) * 5,
        29..=44 => 100 + (place - 28) * 25,
        _ => 500 + (place - 44) * 100,
    };
    f64::from(hundredths) / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_its_own() {
        for setting in Setting::ALL {
            let mut before = None;
            for place in 0..=setting.last() {
                let params = setting.at(place, &TableParams::default());
                params.validate().unwrap();
                assert_eq!(setting.place(&params), place, "{setting:?}");
                let text = setting.text(&params);
                assert_eq!(setting.typed(&text, &TableParams::default()), Some(params), "{setting:?} {text}");
                assert_ne!(before.replace(text.clone()), Some(text), "{setting:?}");
            }
        }
    }

    #[test]
    fn the_articles_settings_are_places() {
        let params = TableParams::default();
        for setting in Setting::ALL {
            assert_eq!(setting.at(setting.place(&params), &params), params, "{setting:?}");
        }
    }

    #[test]
    fn the_places_end_where_they_say() {
        let ends = |setting: Setting| {
            [0, setting.last()].map(|place| setting.text(&setting.at(place, &TableParams::default())))
        };
        assert_eq!(ends(Setting::SignUps), ["100", "1,000,000,000"]);
        assert_eq!(ends(Setting::Fail), ["0 %", "20 %"]);
        assert_eq!(ends(Setting::Attempts), ["1", "10"]);
        assert_eq!(ends(Setting::Steps), ["1", "30"]);
    }

    #[test]
    fn a_field_takes_what_the_table_takes_and_nothing_else() {
        let typed = |setting: Setting, text: &str| setting.typed(text, &TableParams::default());
        assert_eq!(typed(Setting::SignUps, "1,099,511,627,776").unwrap().jobs, JOBS_MAX);
        assert_eq!(typed(Setting::Fail, "0.0000001").unwrap().fail, 1e-9);
        assert_eq!(typed(Setting::Steps, "3").unwrap().lost_step, 3);
        assert_eq!(with_steps(10, &typed(Setting::Steps, "3").unwrap()), TableParams::default());
        for (setting, text) in [
            (Setting::SignUps, "-1"),
            (Setting::SignUps, "1099511627777"),
            (Setting::Lost, "200"),
            (Setting::Attempts, "0"),
            (Setting::Attempts, "101"),
            (Setting::Steps, "2.5"),
            (Setting::Seed, "4294967296"),
            (Setting::Seed, ""),
        ] {
            assert_eq!(typed(setting, text), None, "{setting:?} {text}");
        }
    }
}
