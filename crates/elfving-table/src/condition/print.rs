//! A condition in words that are read back as the same condition.

use std::fmt;

use super::{Condition, Level, Name, Node, Sum, Values, is_bare};

impl fmt::Display for Condition {
    /// The condition, evenly spaced; [`text`](Condition::text) is as it was written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.root, f)
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::And(parts) => joined(f, parts, " and "),
            Self::Or(parts) => joined(f, parts, " or "),
            Self::Not(part) => {
                f.write_str("not ")?;
                inside(f, part)
            }
            Self::Numbers { left, how, right, .. } => write!(f, "{left} {} {right}", how.word()),
            Self::Text { column, equal, text } => {
                write!(f, "{column} {} {text}", if *equal { "=" } else { "!=" })
            }
            Self::In { column, values } => write!(f, "{column} in ({values})"),
            Self::Empty { column } => write!(f, "{column} is empty"),
        }
    }
}

fn joined(f: &mut fmt::Formatter<'_>, parts: &[Node], word: &str) -> fmt::Result {
    for (k, part) in parts.iter().enumerate() {
        if k > 0 {
            f.write_str(word)?;
        }
        inside(f, part)?;
    }
    Ok(())
}

/// A part of a larger one: in parentheses where it has parts of its own.
fn inside(f: &mut fmt::Formatter<'_>, part: &Node) -> fmt::Result {
    match part {
        Node::And(_) | Node::Or(_) => write!(f, "({part})"),
        _ => fmt::Display::fmt(part, f),
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, (factor, column)) in self.terms.iter().enumerate() {
            sign(f, k == 0, *factor)?;
            match factor.abs() {
                1.0 => write!(f, "{column}")?,
                factor => write!(f, "{factor}*{column}")?,
            }
        }
        if self.terms.is_empty() || self.constant != 0.0 {
            sign(f, self.terms.is_empty(), self.constant)?;
            write!(f, "{}", self.constant.abs())?;
        }
        Ok(())
    }
}

fn sign(f: &mut fmt::Formatter<'_>, first: bool, number: f64) -> fmt::Result {
    f.write_str(match (first, number < 0.0) {
        (true, true) => "-",
        (true, false) => "",
        (false, true) => " - ",
        (false, false) => " + ",
    })
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = match self {
            Self::Numbers(numbers) => numbers.iter().map(f64::to_string).collect(),
            Self::Texts(texts) => texts.iter().map(Level::to_string).collect(),
        };
        f.write_str(&words.join(", "))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match is_bare(&self.name) {
            true => f.write_str(&self.name),
            false => write!(f, "`{}`", self.name.replace('`', "``")),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.text.replace('"', "\"\""))
    }
}
