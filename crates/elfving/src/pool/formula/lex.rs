//! The words of a formula.

use std::ops::Range;

use crate::text::{TextError, number_length, quoted, typographic};

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// A column, or the name of a function.
    Name(String),
    /// A level.
    Text(String),
    Number(f64),
    /// One of `~ + - * / : ^ ( ) ,`; `**` is read as `^`.
    Mark(char),
}

pub(super) type Placed = (Token, Range<usize>);

pub(super) fn tokens(text: &str) -> Result<Vec<Placed>, TextError> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let error = |length: usize, message: String| TextError {
            message,
            text: text.to_owned(),
            at: at..at + length,
        };
        let (token, length) = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if let '"' | '\'' | '`' = c {
            let (content, length) = quoted(rest, c).ok_or_else(|| {
                error(rest.len(), format!("the {c} is not closed; write {c} twice inside {c} {c}"))
            })?;
            (if c == '`' { Token::Name(content) } else { Token::Text(content) }, length)
        } else if c.is_ascii_digit() || (c == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())) {
            let length = number_length(rest);
            match rest[..length].parse::<f64>().ok().filter(|number| number.is_finite()) {
                Some(number) => (Token::Number(number), length),
                None => return Err(error(length, "this number is too large".to_owned())),
            }
        } else if c.is_alphabetic() || c == '_' || c == '.' {
            let inside = |c: char| (c.is_alphanumeric() && !"¹²³".contains(c)) || c == '_' || c == '.';
            let length = rest.find(|c| !inside(c)).unwrap_or(rest.len());
            (Token::Name(rest[..length].to_owned()), length)
        } else if rest.starts_with("**") {
            (Token::Mark('^'), 2)
        } else if "~+-*/:^(),".contains(c) {
            (Token::Mark(c), 1)
        } else {
            let help = match c {
                '%' => "; for nested factors write a/b",
                '|' => "; random effects are not part of a design's model: add the block as a column",
                '²' => "; write I(a^2)",
                _ => typographic(c).unwrap_or("; a column with such a name goes in backquotes"),
            };
            return Err(error(c.len_utf8(), format!("{c:?} means nothing here{help}")));
        };
        found.push((token, at..at + length));
        at += length;
    }
    Ok(found)
}
