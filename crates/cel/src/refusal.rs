//! Errors of an evaluation in words: what is missing or does not fit, naming the field of the event.

use cel::ExecutionError;
use cel::common::types::{CelString, Kind};
use cel::common::value::{CowVal, Val};

/// An error of ours: its message is the whole reason.
pub(crate) fn because(reason: String) -> ExecutionError {
    ExecutionError::FunctionError { function: OURS.into(), message: reason }
}

const OURS: &str = "@";

/// An operator between two values that it is not for.
pub(crate) fn operator(sign: &str, left: &dyn Val, right: &dyn Val) -> ExecutionError {
    let (left_kind, right_kind) = (left.get_type().kind(), right.get_type().kind());
    let text_and =
        |one: Kind, other: Kind| one == Kind::String && matches!(other, Kind::Int | Kind::Double | Kind::Boolean);
    let hint = if sign == "+" && (text_and(left_kind, right_kind) || text_and(right_kind, left_kind)) {
        "; string(…) makes a text of it"
    } else {
        ""
    };
    because(format!("`{sign}` is not for {} and {}{hint}", kind(left), kind(right)))
}

/// A value's kind, in the words of JSON.
pub(crate) fn kind(value: &dyn Val) -> &'static str {
    of_type(value.get_type().name())
}

fn of_type(name: &str) -> &'static str {
    match name {
        "string" => "a text",
        "int" | "uint" | "double" => "a number",
        "bool" => "true or false",
        "null_type" => "null",
        "list" => "a list",
        "map" => "an object",
        "bytes" => "bytes",
        "type" => "a type",
        _ => "something else",
    }
}

/// A field as it is reached: `event`, `data`, `id`.
pub(crate) type Path = Vec<String>;

/// The reason that an error gives, and the field to blame. Values are never shown: they may be long, and secret.
pub(crate) fn reason(error: ExecutionError, paths: &[Path], event: &dyn Val) -> String {
    let mut steps = paths.iter().filter_map(|path| follow(path, event));
    match &error {
        ExecutionError::NoSuchKey(name) => {
            let at = steps.find(|end| matches!(end, End::Missing(path) if path.last() == Some(&**name)));
            if let Some(End::Missing(path)) = at {
                return format!("`{}` is missing", path.join("."));
            }
        }
        ExecutionError::NoSuchOverload(overload) if overload.function() == "_._" => {
            if let Some(End::NoFields(path, kind)) = steps.find(|end| matches!(end, End::NoFields(..))) {
                return format!("`{}` is {kind} and has no fields", path.join("."));
            }
        }
        _ => {
            if let Some(End::Null(path)) = steps.find(|end| matches!(end, End::Null(_))) {
                return format!("{}; `{}` is null", words(error), path.join("."));
            }
        }
    }
    words(error)
}

/// Where a path ends that leads to no value.
enum End<'a> {
    Missing(&'a [String]),
    NoFields(&'a [String], &'static str),
    Null(&'a [String]),
}

fn follow<'a>(path: &'a [String], event: &dyn Val) -> Option<End<'a>> {
    let mut value = CowVal::Borrowed(event);
    for at in 1..path.len() {
        if value.get_type().kind() != Kind::Map {
            return Some(End::NoFields(&path[..at], kind(value.as_ref())));
        }
        let name = CelString::from(path[at].clone());
        let member = value.as_indexer()?.get(&name).map(CowVal::into_owned);
        match member {
            Ok(member) => value = CowVal::Owned(member),
            Err(_) => return Some(End::Missing(&path[..=at])),
        }
    }
    (value.get_type().kind() == Kind::NullType).then_some(End::Null(path))
}

fn words(error: ExecutionError) -> String {
    match error {
        ExecutionError::FunctionError { function, message } if function == OURS => message,
        ExecutionError::FunctionError { function, message } => format!("{function}(): {message}"),
        ExecutionError::NoSuchKey(name) => format!("the field `{name}` is missing"),
        ExecutionError::NoSuchOverload(overload) => {
            let kinds: Vec<&str> = overload.argument_types().iter().map(|name| of_type(name)).collect();
            format!("{} is not for {}", called(overload.function()), kinds.join(" and "))
        }
        ExecutionError::UndeclaredReference(name) => format!("`{name}` is not known"),
        ExecutionError::UnexpectedType { got, want } => {
            format!("{} is needed, and it is {}", wanted(&want), of_type(&got))
        }
        ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => "it divides by zero".into(),
        ExecutionError::Overflow(..) => "a whole number leaves the range of 64 bits".into(),
        ExecutionError::IndexOutOfBounds(_) => "a list has no item at that place".into(),
        ExecutionError::DuplicateKey(_) => "an object has a name twice".into(),
        ExecutionError::ValuesNotComparable(..) => "two values cannot be compared".into(),
        _ => "it cannot be evaluated".into(),
    }
}

fn wanted(name: &str) -> &'static str {
    match name {
        "iterable" => "a list or an object",
        other => of_type(other),
    }
}

/// `_<_` is written `<`, `!_` is `!`, `_._` is the dot.
fn called(function: &str) -> String {
    match function.trim_matches('_') {
        "." => "a field".into(),
        "[_]" => "a place in brackets".into(),
        sign if sign.chars().all(|it| it.is_ascii_alphanumeric()) => format!("{sign}()"),
        sign => format!("`{}`", sign.trim_end_matches('_')),
    }
}
