//! From a source text to an expression that can be evaluated: limits first, then the parser, then a walk over what it
//! made, in which unknown names are refused and arithmetic and loops are made ours.

use crate::functions::{self, FUNCTIONS, LOOP, MACROS, REPLACED};
use crate::problem::{Code, Problem};
use crate::refusal::{self, Path};
use crate::{EVENT_BYTES_MAX, NESTING_MAX, SOURCE_BYTES_MAX, event::Event, key};
use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr};
use cel::parser::PrattParser;
use cel::parser::pratt_parser::{Lexer, Token, TokenKind};
use cel::{Context, Value};

/// The one variable.
const EVENT: &str = "event";

/// Types, as in `type(event.data.id) == string`.
const TYPES: [&str; 9] = ["bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type"];

/// An expression over an event that gives a key.
#[derive(Debug)]
pub struct Expression {
    expression: IdedExpr,
    /// The fields that it reads.
    paths: Vec<Path>,
}

impl Expression {
    /// Reads an expression. What it gives for an event, and whether it gives anything, is seen only then: events have no
    /// declared shape.
    pub fn compile(source: &str) -> Result<Self, Problem> {
        check_limits(source)?;
        let mut expression = parse(source)?;
        let mut walk = Walk { source, names: Vec::new(), paths: Vec::new() };
        walk.visit(&mut expression, 0)?;
        Ok(Self { expression, paths: walk.paths })
    }

    /// The key of an event, given as JSON, or the reason why it has none.
    pub fn evaluate(&self, event: &str) -> Result<String, String> {
        if event.len() > EVENT_BYTES_MAX {
            return Err(format!("the event is {} bytes of JSON; at most {EVENT_BYTES_MAX} are read", event.len()));
        }
        let Event(event) = serde_json::from_str(event).map_err(|error| format!("the event is no JSON: {error}"))?;
        functions::start_counting();
        let mut context = Context::with_env(functions::environment());
        context.add_variable_as_val(EVENT, event);
        match Value::resolve_val(&self.expression, &context) {
            Ok(result) => key::of(result.as_ref()).map_err(|reason| match path_of(&self.expression) {
                Some(path) => format!("`{}`: {reason}", path.join(".")),
                None => reason,
            }),
            Err(error) => {
                let event = context.get_variable(EVENT).expect("it was added above");
                Err(refusal::reason(error, &self.paths, event.as_ref()))
            }
        }
    }
}

/// What must hold before the parser sees the text.
fn check_limits(source: &str) -> Result<(), Problem> {
    let problem = |code, message: String, byte| Err(Problem::at_byte(code, message, source, byte));
    if source.trim().is_empty() {
        return problem(Code::Empty, "an expression is needed, such as event.data.id; there is none".into(), 0);
    }
    if source.len() > SOURCE_BYTES_MAX {
        let message = format!("an expression has at most {SOURCE_BYTES_MAX} bytes; this one has {}", source.len());
        return problem(Code::TooLong, message, SOURCE_BYTES_MAX);
    }
    let mut depth = 0_usize;
    for token in Tokens(Lexer::new(source)) {
        match token.kind {
            TokenKind::TokLeftParen | TokenKind::TokLeftBracket | TokenKind::TokLeftBrace => depth += 1,
            TokenKind::TokRightParen | TokenKind::TokRightBracket | TokenKind::TokRightBrace => {
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
        if depth > NESTING_MAX {
            return problem(Code::TooDeep, format!("brackets are nested at most {NESTING_MAX} deep"), token.start);
        }
    }
    Ok(())
}

/// The tokens up to the end, or to the first that is none.
struct Tokens<'a>(Lexer<'a>);

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            let token = self.0.lex();
            match token.kind {
                TokenKind::TokEnd | TokenKind::TokError => return None,
                TokenKind::TokWhitespace | TokenKind::TokComment => {}
                _ => return Some(token),
            }
        }
    }
}

fn parse(source: &str) -> Result<IdedExpr, Problem> {
    let parser = PrattParser::new().max_recursion_depth(NESTING_MAX as u16 + 1);
    parser.parse(source).map_err(|errors| {
        let Some(first) = errors.errors.first() else {
            return Problem::at_byte(Code::Syntax, "this is no expression".into(), source, 0);
        };
        let (line, column) = (first.pos.0.max(0) as usize, first.pos.1.max(0) as usize);
        let message = first.msg.strip_prefix("Syntax error: ").unwrap_or(&first.msg);
        let code = if message.contains("recursion limit") { Code::TooDeep } else { Code::Syntax };
        Problem::at_place(code, message.to_owned(), source, line, column)
    })
}

/// One pass over an expression.
struct Walk<'a> {
    source: &'a str,
    /// The loop variables in force, innermost last.
    names: Vec<String>,
    paths: Vec<Path>,
}

impl Walk<'_> {
    fn visit(&mut self, node: &mut IdedExpr, depth: usize) -> Result<(), Problem> {
        if depth > NESTING_MAX {
            let message = format!("an expression is nested at most {NESTING_MAX} deep");
            return Err(Problem::at_byte(Code::TooDeep, message, self.source, 0));
        }
        let below = depth + 1;
        if let Some(path) = path_of(node).filter(|path| path[0] == EVENT) {
            self.paths.push(path);
        }
        match &mut node.expr {
            Expr::Literal(_) => Ok(()),
            Expr::Ident(name) => self.known(name),
            Expr::Select(select) => self.visit(&mut select.operand, below),
            Expr::Call(call) => self.call(call, below),
            Expr::List(list) => list.elements.iter_mut().try_for_each(|item| self.visit(item, below)),
            Expr::Map(map) => map.entries.iter_mut().try_for_each(|entry| match &mut entry.expr {
                EntryExpr::MapEntry(entry) => {
                    self.visit(&mut entry.key, below).and_then(|()| self.visit(&mut entry.value, below))
                }
                EntryExpr::StructField(field) => self.visit(&mut field.value, below),
            }),
            Expr::Comprehension(turn) => {
                self.visit(&mut turn.iter_range, below)?;
                self.visit(&mut turn.accu_init, below)?;
                let range = std::mem::take(&mut turn.iter_range);
                let counted = CallExpr { func_name: LOOP.into(), target: None, args: vec![range] };
                turn.iter_range.expr = Expr::Call(counted);
                self.names.push(turn.iter_var.clone());
                let inside = [&mut turn.loop_cond, &mut turn.loop_step, &mut turn.result];
                let visited = inside.into_iter().try_for_each(|part| self.visit(part, below));
                self.names.pop();
                visited
            }
            Expr::Struct(made) => {
                let message =
                    format!("`{}` is not known; an expression knows the variable `event` alone", made.type_name);
                Err(self.problem(Code::UnknownName, message, &made.type_name, false))
            }
            Expr::Unspecified => Err(Problem::at_byte(Code::Syntax, "something is missing".into(), self.source, 0)),
        }
    }

    fn known(&self, name: &str) -> Result<(), Problem> {
        let plain = name.strip_prefix('.').unwrap_or(name);
        // What begins with @ was made by the parser, out of `all` and the like.
        let known = plain == EVENT
            || plain.starts_with('@')
            || TYPES.contains(&plain)
            || self.names.iter().any(|it| it == plain);
        if known {
            return Ok(());
        }
        let message = format!("`{plain}` is not known; an expression knows the variable `event` alone");
        Err(self.problem(Code::UnknownName, message, plain, false))
    }

    fn call(&mut self, call: &mut CallExpr, below: usize) -> Result<(), Problem> {
        // An operator's name has signs in it, which a function's cannot have.
        if call.func_name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_') {
            self.check_function(call)?;
        }
        if let Some(target) = &mut call.target {
            self.visit(target, below)?;
        }
        call.args.iter_mut().try_for_each(|argument| self.visit(argument, below))?;
        // The sums that the parser made for a loop stay what they are: the library knows them and is quick about them.
        let made = matches!(call.args.first().map(|it| &it.expr), Some(Expr::Ident(name)) if name.starts_with('@'));
        let ours = REPLACED.iter().find(|(name, arity, ..)| *name == call.func_name && *arity == call.args.len());
        if let (Some((_, _, ours, _)), None, false) = (ours, &call.target, made) {
            call.func_name = (*ours).into();
        }
        Ok(())
    }

    fn check_function(&self, call: &CallExpr) -> Result<(), Problem> {
        let name = call.func_name.as_str();
        let found = FUNCTIONS.iter().find(|(known, ..)| *known == name);
        let fits = found.is_some_and(|(_, how)| how.arguments(call.target.is_some()) == Some(call.args.len()));
        if fits {
            return Ok(());
        }
        let message = if found.is_some() || MACROS.contains(&name) {
            format!("`{name}` is not called like this")
        } else {
            let known: Vec<&str> = MACROS.into_iter().chain(FUNCTIONS.iter().map(|(name, _)| *name)).collect();
            format!("the function `{name}` is not known; there are {}", known.join(", "))
        };
        Err(self.problem(Code::UnknownFunction, message, name, true))
    }

    /// A problem with a name, at the first place where it is used so.
    fn problem(&self, code: Code, message: String, name: &str, called: bool) -> Problem {
        let tokens: Vec<Token> = Tokens(Lexer::new(self.source)).collect();
        let place = tokens.iter().enumerate().find(|(index, token)| {
            let is = |at: usize, kind| tokens.get(at).is_some_and(|token| token.kind == kind);
            let after_dot = *index > 0 && is(index - 1, TokenKind::TokDot);
            let before_bracket = is(index + 1, TokenKind::TokLeftParen);
            self.source.get(token.start..token.end) == Some(name) && if called { before_bracket } else { !after_dot }
        });
        Problem::at_byte(code, message, self.source, place.map_or(0, |(_, token)| token.start))
    }
}

/// `event.data.id` and `event.data["id"]` as a path. Nothing else is one.
fn path_of(node: &IdedExpr) -> Option<Path> {
    let mut path = Vec::new();
    let mut expr = &node.expr;
    loop {
        match expr {
            Expr::Ident(name) => {
                path.push(name.clone());
                path.reverse();
                return Some(path);
            }
            Expr::Select(select) if !select.test => {
                path.push(select.field.clone());
                expr = &select.operand.expr;
            }
            Expr::Call(call) if call.func_name == "_[_]" && call.args.len() == 2 => {
                let Expr::Literal(cel::common::ast::LiteralValue::String(name)) = &call.args[1].expr else {
                    return None;
                };
                path.push(name.inner().to_owned());
                expr = &call.args[0].expr;
            }
            _ => return None,
        }
    }
}
