//! One kind of numbers: `int` and `double` mix in `+ - * / %`, as numbers of JSON do, and have one text each.
//!
//! Two whole numbers stay whole: they are exact to 64 bits, and divide as CEL has it (`event.ts / 3600000` is the hour). A
//! fraction on either side makes it arithmetic of fractions.

use cel::ExecutionError;
use cel::common::types::{CelDouble, CelInt, CelUInt};
use cel::common::value::{CowVal, Val};
use twiceproof_core::admission::number_text;

/// Whole numbers beyond it may stand for their neighbours as well.
const EXACT_MAX: f64 = 9_007_199_254_740_991.0;

/// A number of JSON.
pub(crate) fn of_json(number: f64) -> Box<dyn Val> {
    if number.fract() == 0.0 && number.abs() <= EXACT_MAX {
        Box::new(CelInt::from(number as i64))
    } else {
        Box::new(CelDouble::from(number))
    }
}

/// The text of a number, if it is one: the same for 2 and 2.0.
pub(crate) fn text(value: &dyn Val) -> Option<Result<String, String>> {
    if let Some(whole) = value.downcast_ref::<CelInt>() {
        return Some(Ok(whole.inner().to_string()));
    }
    if let Some(whole) = value.downcast_ref::<CelUInt>() {
        return Some(Ok(whole.inner().to_string()));
    }
    let number = *value.downcast_ref::<CelDouble>()?.inner();
    Some(if !number.is_finite() {
        Err(format!("the number is {}", if number.is_nan() { "not a number" } else { "infinite" }))
    } else if number.fract() == 0.0 && number.abs() > EXACT_MAX {
        Err("the whole number is beyond 2^53, where it stands for its neighbours too; send it as a string".into())
    } else {
        Ok(number_text(number))
    })
}

/// Both operands as numbers of one kind; what is not two numbers stays as it is.
pub(crate) fn alike<'b, 'v>(left: CowVal<'b, 'v>, right: CowVal<'b, 'v>) -> (CowVal<'b, 'v>, CowVal<'b, 'v>) {
    let (left, right) = (signed(left), signed(right));
    match (whole(&left), double(&left), whole(&right), double(&right)) {
        (Some(whole), _, _, Some(_)) => (CowVal::owned(CelDouble::from(whole as f64)), right),
        (_, Some(_), Some(whole), _) => (left, CowVal::owned(CelDouble::from(whole as f64))),
        _ => (left, right),
    }
}

/// The result of `%` between fractions, which CEL leaves out.
pub(crate) fn remainder(left: &CowVal<'_, '_>, right: &CowVal<'_, '_>) -> Option<Result<f64, ExecutionError>> {
    let (left, right) = (double(left)?, double(right)?);
    let error = ExecutionError::RemainderByZero(cel::Value::Null);
    Some(if right == 0.0 { Err(error) } else { Ok(left % right) })
}

/// `1u` and `uint(…)` are numbers like all others.
fn signed<'b, 'v>(value: CowVal<'b, 'v>) -> CowVal<'b, 'v> {
    match value.downcast_ref::<CelUInt>().map(|it| *it.inner()) {
        Some(number) => match i64::try_from(number) {
            Ok(number) => CowVal::owned(CelInt::from(number)),
            Err(_) => CowVal::owned(CelDouble::from(number as f64)),
        },
        None => value,
    }
}

fn whole(value: &CowVal<'_, '_>) -> Option<i64> {
    value.downcast_ref::<CelInt>().map(|it| *it.inner())
}

fn double(value: &CowVal<'_, '_>) -> Option<f64> {
    value.downcast_ref::<CelDouble>().map(|it| *it.inner())
}
