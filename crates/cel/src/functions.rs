//! What an expression calls in place of CEL's own. The names begin with `@`, which no expression can write.

use crate::{JOINED_BYTES_MAX, TURNS_MAX, numbers, refusal};
use cel::common::functions::Function;
use cel::common::types::{CelDouble, CelList, CelString, DYN_TYPE, Type};
use cel::common::value::{CowVal, Val};
use cel::{Env, ExecutionError};
use std::cell::Cell;
use std::sync::{Arc, LazyLock};

/// An operator or function of CEL, what is called in its place, and that.
pub(crate) const REPLACED: [(&str, usize, &str, Function); 6] = [
    ("_+_", 2, "@add", add),
    ("_-_", 2, "@subtract", subtract),
    ("_*_", 2, "@multiply", multiply),
    ("_/_", 2, "@divide", divide),
    ("_%_", 2, "@remainder", remainder),
    ("string", 1, "@string", string),
];

/// Called with what a loop goes over, before it does.
pub(crate) const LOOP: &str = "@loop";

/// Functions that an expression may call, and whether on a value (`text.contains(…)`) or with one (`size(…)`).
pub(crate) const FUNCTIONS: [(&str, Call); 12] = [
    ("bool", Call::Global),
    ("bytes", Call::Global),
    ("contains", Call::OnValue),
    ("double", Call::Global),
    ("dyn", Call::Global),
    ("endsWith", Call::OnValue),
    ("int", Call::Global),
    ("size", Call::Either),
    ("startsWith", Call::OnValue),
    ("string", Call::Global),
    ("type", Call::Global),
    ("uint", Call::Global),
];

/// Macros, for messages: the parser has replaced every good use of them.
pub(crate) const MACROS: [&str; 6] = ["has", "all", "exists", "exists_one", "map", "filter"];

/// How a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Global,
    OnValue,
    Either,
}

impl Call {
    /// How many arguments it takes, called so; nothing if it is not called so.
    pub(crate) fn arguments(self, on_value: bool) -> Option<usize> {
        match (self, on_value) {
            (Self::Global | Self::Either, false) | (Self::OnValue, true) => Some(1),
            (Self::Either, true) => Some(0),
            (Self::Global, true) | (Self::OnValue, false) => None,
        }
    }
}

/// CEL's standard functions and ours.
pub(crate) fn environment() -> Arc<Env> {
    static ENVIRONMENT: LazyLock<Arc<Env>> = LazyLock::new(|| {
        let mut env = Env::default().with_optional_support(false).with_stdlib();
        for (_, arity, name, function) in REPLACED {
            add_function(&mut env, name, arity, function);
        }
        add_function(&mut env, LOOP, 1, enter_loop);
        Arc::new(env)
    });
    Arc::clone(&ENVIRONMENT)
}

fn add_function(env: &mut Env, name: &str, arity: usize, function: Function) {
    let takes: Vec<Type> = (0..arity).map(|_| DYN_TYPE).collect();
    env.add_overload(name, name, takes, function).expect("names with @ are ours alone");
}

thread_local! {
    static TURNS: Cell<u32> = const { Cell::new(0) };
}

/// Before an evaluation: nothing is used up.
pub(crate) fn start_counting() {
    TURNS.set(0);
}

fn spend(turns: usize) -> Result<(), ExecutionError> {
    let spent = TURNS.get().saturating_add(u32::try_from(turns).unwrap_or(u32::MAX));
    if spent > TURNS_MAX {
        return Err(refusal::because(format!("its loops take more than {TURNS_MAX} turns")));
    }
    TURNS.set(spent);
    Ok(())
}

type Answer<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

/// All turns are paid for in advance, so that errors which a loop swallows cannot hide them.
fn enter_loop<'b, 'v>(mut arguments: Vec<CowVal<'b, 'v>>) -> Answer<'b, 'v> {
    let range = arguments.remove(0);
    spend(range.as_sizer().map_or(1, |sizer| *sizer.size().inner() as usize))?;
    Ok(range)
}

/// An operator of CEL, if its left side has it.
type Operator =
    for<'x, 'v> fn(&'x (dyn Val + 'v), &'x (dyn Val + 'v)) -> Option<Result<Box<dyn Val + 'v>, ExecutionError>>;

fn arithmetic<'b, 'v>(sign: &str, operands: Operands<'b, 'v>, operator: Operator) -> Answer<'b, 'v> {
    let (left, right) = operands;
    let result = if left.get_type() == right.get_type() { operator(left.as_ref(), right.as_ref()) } else { None };
    match result {
        Some(result) => result.map(CowVal::Owned),
        None => Err(refusal::operator(sign, left.as_ref(), right.as_ref())),
    }
}

type Operands<'b, 'v> = (CowVal<'b, 'v>, CowVal<'b, 'v>);

fn two<'b, 'v>(mut arguments: Vec<CowVal<'b, 'v>>) -> Operands<'b, 'v> {
    let left = arguments.remove(0);
    numbers::alike(left, arguments.remove(0))
}

fn add<'b, 'v>(arguments: Vec<CowVal<'b, 'v>>) -> Answer<'b, 'v> {
    let (left, right) = two(arguments);
    if let (Some(one), Some(other)) = (left.downcast_ref::<CelString>(), right.downcast_ref::<CelString>())
        && one.inner().len() + other.inner().len() > JOINED_BYTES_MAX
    {
        return Err(refusal::because(format!("`+` would make a text of more than {JOINED_BYTES_MAX} bytes")));
    }
    if let (Some(one), Some(other)) = (left.downcast_ref::<CelList>(), right.downcast_ref::<CelList>()) {
        spend(one.inner().len() + other.inner().len())?;
    }
    arithmetic("+", (left, right), |left, right| Some(left.as_adder()?.add(right).map(CowVal::into_owned)))
}

fn subtract<'b, 'v>(arguments: Vec<CowVal<'b, 'v>>) -> Answer<'b, 'v> {
    arithmetic("-", two(arguments), |left, right| Some(left.as_subtractor()?.sub(right).map(CowVal::into_owned)))
}

fn multiply<'b, 'v>(arguments: Vec<CowVal<'b, 'v>>) -> Answer<'b, 'v> {
    arithmetic("*", two(arguments), |left, right| Some(left.as_multiplier()?.mul(right).map(CowVal::into_owned)))
}

fn divide<'b, 'v>(arguments: Vec<CowVal<'b, 'v>>) -> Answer<'b, 'v> {
    arithmetic("/", two(arguments), |left, right| Some(left.as_divider()?.div(right).map(CowVal::into_owned)))
}

fn remainder<'b, 'v>(arguments: Vec<CowVal<'b, 'v>>) -> Answer<'b, 'v> {
    let operands = two(arguments);
    match numbers::remainder(&operands.0, &operands.1) {
        Some(result) => result.map(|number| CowVal::owned(CelDouble::from(number))),
        None => arithmetic("%", operands, |left, right| Some(left.as_modder()?.modulo(right).map(CowVal::into_owned))),
    }
}

/// As CEL's, but a number has the text that it has as a key: 42, never 42.0 (H10).
fn string<'b, 'v>(arguments: Vec<CowVal<'b, 'v>>) -> Answer<'b, 'v> {
    if let Some(text) = numbers::text(arguments[0].as_ref()) {
        return text.map(|text| CowVal::owned(CelString::from(text))).map_err(refusal::because);
    }
    match environment().find_overload("string", &arguments) {
        Some(original) => original(arguments),
        None => Err(refusal::because(format!("string() makes no text of {}", refusal::kind(arguments[0].as_ref())))),
    }
}
