//! From text to terms.
//!
//! ```text
//! formula := ["~"] sum            sum    := ["+" | "-"] cross (("+" | "-") cross)*
//! cross   := inter (("*" | "/") inter)*      inter := power (":" power)*
//! power   := atom ["^" whole]     atom   := "0" | "1" | factor | "(" sum ")"
//! ```

use std::collections::BTreeSet;
use std::ops::Range;

use super::arithmetic::{Arithmetic, Function, Operation};
use super::lex::{Placed, Token, tokens};
use super::{Coding, Factor, FactorKind, Formula, Term};
use crate::text::TextError;

/// Parentheses inside one another, at most.
const DEEPEST: usize = 64;
/// More terms than this are taken for a mistake.
const MOST_TERMS: usize = 10_000;
/// The largest power of a sum.
const MOST_POWER: f64 = 16.0;

pub(super) fn parse(text: &str) -> Result<Formula, TextError> {
    let tokens = tokens(text)?;
    let mut parser = Parser { text, tokens: &tokens, next: 0, depth: 0, factors: Vec::new() };
    parser.eat('~');
    let mut terms = match parser.peek() {
        None => vec![],
        Some(_) => parser.sum(true)?,
    };
    match parser.peek() {
        None => {}
        Some(Token::Mark(')')) => return Err(parser.error(parser.here(), "there is no ( for this )")),
        Some(Token::Mark('~')) => {
            let message = "the outcome is named elsewhere: write the part behind the ~ alone";
            return Err(parser.error(parser.here(), message));
        }
        Some(_) => return Err(parser.error(parser.here(), "a + or another sign is missing before this")),
    }
    if tokens.iter().all(|(token, _)| *token == Token::Mark('~')) {
        return Err(parser.error(0..text.len(), "the formula has no terms; write for example ~ temp + base"));
    }
    if terms.is_empty() {
        return Err(parser.error(0..text.len(), "the formula takes away every term"));
    }
    // By the number of factors, then as written: a stable sort.
    terms.sort_by_key(Vec::len);
    Ok(Formula { text: text.to_owned(), factors: parser.factors, terms })
}

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Placed],
    next: usize,
    depth: usize,
    factors: Vec<Factor>,
}

type Parsed<T> = Result<T, TextError>;

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(token, _)| token)
    }

    fn here(&self) -> Range<usize> {
        let end = self.text.len();
        self.tokens.get(self.next).map_or(end..end, |(_, at)| at.clone())
    }

    fn error(&self, at: Range<usize>, message: impl Into<String>) -> TextError {
        TextError { message: message.into(), text: self.text.to_owned(), at }
    }

    fn eat(&mut self, mark: char) -> bool {
        let found = self.peek() == Some(&Token::Mark(mark));
        self.next += usize::from(found);
        found
    }

    fn number(&self) -> Option<f64> {
        match self.peek() {
            Some(Token::Number(number)) => Some(*number),
            _ => None,
        }
    }

    fn deeper<T>(&mut self, of: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error(self.here(), "too many parentheses inside one another"));
        }
        let found = of(self);
        self.depth -= 1;
        found
    }

    /// Terms added and taken away; the whole formula begins with an intercept.
    fn sum(&mut self, whole: bool) -> Parsed<Vec<Term>> {
        let mut terms: Vec<Term> = if whole { vec![Term::new()] } else { Vec::new() };
        let mut add = !self.eat('-');
        if add {
            self.eat('+');
        }
        loop {
            let zero = self.number() == Some(0.0) && !self.tokens_ahead_join();
            if zero {
                // + 0 is - 1, and the other way round.
                self.next += 1;
                terms = if add { without(terms, &[Term::new()]) } else { union(terms, vec![Term::new()]) };
            } else {
                let found = self.cross()?;
                terms = if add { union(terms, found) } else { without(terms, &found) };
            }
            if terms.len() > MOST_TERMS {
                let message = format!("the formula has more than {MOST_TERMS} terms");
                return Err(self.error(0..self.text.len(), message));
            }
            add = if self.eat('+') {
                true
            } else if self.eat('-') {
                false
            } else {
                return Ok(terms);
            };
        }
    }

    /// Whether the number here is part of a product, where it makes no sense.
    fn tokens_ahead_join(&self) -> bool {
        matches!(self.tokens.get(self.next + 1), Some((Token::Mark('*' | '/' | ':' | '^'), _)))
    }

    fn cross(&mut self) -> Parsed<Vec<Term>> {
        let mut terms = self.inter()?;
        loop {
            if self.eat('*') {
                let other = self.inter()?;
                let both = products(&terms, &other);
                terms = union(union(terms, other), both);
            } else if self.eat('/') {
                let other = self.inter()?;
                // Within: every factor on the left takes part.
                let left: Term = terms.iter().flatten().copied().collect();
                let nested = products(&[sorted(left)], &other);
                terms = union(terms, nested);
            } else {
                return Ok(terms);
            }
        }
    }

    fn inter(&mut self) -> Parsed<Vec<Term>> {
        let mut terms = self.power()?;
        while self.eat(':') {
            let other = self.power()?;
            terms = products(&terms, &other);
        }
        Ok(terms)
    }

    fn power(&mut self) -> Parsed<Vec<Term>> {
        let from = self.here().start;
        let base = self.atom()?;
        if !self.eat('^') {
            return Ok(base);
        }
        let (at, exponent) = (self.here(), self.number());
        let Some(exponent) = exponent.filter(|n| n.fract() == 0.0 && (1.0..=MOST_POWER).contains(n)) else {
            let message = format!("the power of a sum of terms is a whole number from 1 to {MOST_POWER}");
            return Err(self.error(at, message));
        };
        self.next += 1;
        if base.len() == 1 && base[0].len() == 1 {
            let written = self.text[from..at.end].trim();
            let message = format!(
                "in a formula this is the factor itself; for the power of the number write I({written})"
            );
            return Err(self.error(from..at.end, message));
        }
        let mut terms = base.clone();
        for _ in 1..exponent as usize {
            let more = products(&terms, &base);
            terms = union(terms, more);
            if terms.len() > MOST_TERMS {
                return Err(self.error(from..at.end, format!("the formula has more than {MOST_TERMS} terms")));
            }
        }
        Ok(terms)
    }

    fn atom(&mut self) -> Parsed<Vec<Term>> {
        let at = self.here();
        match self.peek().cloned() {
            Some(Token::Mark('(')) => {
                self.next += 1;
                let terms = self.deeper(|parser| parser.sum(false))?;
                self.close(at)?;
                Ok(terms)
            }
            Some(Token::Number(number)) => {
                if number != 1.0 || self.tokens_ahead_join() {
                    let message = "a number here is 1 or 0, for the intercept; for arithmetic write I( )";
                    return Err(self.error(at, message));
                }
                self.next += 1;
                Ok(vec![Term::new()])
            }
            Some(Token::Name(name)) => {
                self.next += 1;
                let called =
                    self.peek() == Some(&Token::Mark('(')) && !self.text[at.clone()].starts_with('`');
                let kind = match (called, name.as_str()) {
                    (false, _) => FactorKind::Column(name),
                    (true, "C") => self.category()?,
                    (true, "I") => FactorKind::Number(self.argument()?),
                    (true, function) => match Function::of(function) {
                        Some(function) => {
                            FactorKind::Number(Arithmetic::Function(function, Box::new(self.argument()?)))
                        }
                        None => return Err(self.no_such_function(at, function)),
                    },
                };
                let end = self.tokens[self.next - 1].1.end;
                Ok(vec![vec![self.factor(at.start..end, kind)]])
            }
            Some(Token::Text(text)) => {
                let message = format!("a column stands without quotes here; write {text} or `{text}`");
                Err(self.error(at, message))
            }
            Some(Token::Mark(mark)) => Err(self.error(at, format!("a term is missing before the {mark}"))),
            None => Err(self.error(at, "a term is missing at the end")),
        }
    }

    fn no_such_function(&self, at: Range<usize>, name: &str) -> TextError {
        let known: Vec<&str> = Function::ALL.into_iter().map(|(name, _)| name).collect();
        let message = format!("there is no function {name}; there are I, C, {}", known.join(", "));
        self.error(at, message)
    }

    fn close(&mut self, opened: Range<usize>) -> Parsed<()> {
        match self.eat(')') {
            true => Ok(()),
            false if self.peek().is_none() => Err(self.error(opened, "the ( is not closed")),
            false => Err(self.error(self.here(), "a + or another sign, or a ), is missing before this")),
        }
    }

    /// The position of a factor; the same one where it was met before.
    fn factor(&mut self, at: Range<usize>, kind: FactorKind) -> usize {
        let label: String = match &kind {
            FactorKind::Column(name) => name.clone(),
            _ => self.text[at.clone()].split_whitespace().collect(),
        };
        match self.factors.iter().position(|factor| factor.label == label) {
            Some(known) => known,
            None => {
                self.factors.push(Factor { label, at, kind });
                self.factors.len() - 1
            }
        }
    }

    /// `(column)`, `(column, Sum)`, `(column, Treatment("level"))`.
    fn category(&mut self) -> Parsed<FactorKind> {
        let opened = self.here();
        self.next += 1;
        let Some(Token::Name(column)) = self.peek().cloned() else {
            return Err(self.error(self.here(), "C( ) takes the name of a column"));
        };
        self.next += 1;
        let coding = if self.eat(',') { self.coding()? } else { Coding::Treatment { reference: None } };
        self.close(opened)?;
        Ok(FactorKind::Category { column, coding })
    }

    fn coding(&mut self) -> Parsed<Coding> {
        let at = self.here();
        let name = match self.peek().cloned() {
            Some(Token::Name(name)) => name,
            _ => return Err(self.error(at, "write Treatment, Treatment(\"level\") or Sum")),
        };
        self.next += 1;
        let opened = self.here();
        let mut reference = None;
        let called = self.eat('(');
        if called {
            if let (Some(Token::Name(_)), Some((Token::Mark('='), _))) =
                (self.peek(), self.tokens.get(self.next + 1))
            {
                self.next += 2;
            }
            match self.peek().cloned() {
                Some(Token::Text(level)) => reference = Some(level),
                Some(Token::Number(level)) => reference = Some(level.to_string()),
                Some(Token::Mark(')')) => {}
                _ => return Err(self.error(self.here(), "a level in quotes belongs here")),
            }
            self.next += usize::from(reference.is_some());
            self.close(opened.clone())?;
        }
        match name.rsplit('.').next().unwrap_or(&name).to_lowercase().as_str() {
            "treatment" => Ok(Coding::Treatment { reference }),
            "sum" if reference.is_none() => Ok(Coding::Sum),
            "sum" => Err(self.error(opened, "Sum compares with the mean of all levels and takes none")),
            _ => Err(self.error(at, format!("there is no coding {name}; there are Treatment and Sum"))),
        }
    }

    /// `( arithmetic )`.
    fn argument(&mut self) -> Parsed<Arithmetic> {
        let opened = self.here();
        self.next += 1;
        let value = self.deeper(Self::arithmetic)?;
        self.close(opened)?;
        Ok(value)
    }

    fn arithmetic(&mut self) -> Parsed<Arithmetic> {
        let mut value = self.arithmetic_product()?;
        loop {
            let operation = match self.peek() {
                Some(Token::Mark('+')) => Operation::Plus,
                Some(Token::Mark('-')) => Operation::Minus,
                _ => return Ok(value),
            };
            self.next += 1;
            let right = self.arithmetic_product()?;
            value = Arithmetic::Pair(operation, Box::new(value), Box::new(right));
        }
    }

    fn arithmetic_product(&mut self) -> Parsed<Arithmetic> {
        let mut value = self.arithmetic_sign()?;
        loop {
            let operation = match self.peek() {
                Some(Token::Mark('*')) => Operation::Times,
                Some(Token::Mark('/')) => Operation::Over,
                _ => return Ok(value),
            };
            self.next += 1;
            let right = self.arithmetic_sign()?;
            value = Arithmetic::Pair(operation, Box::new(value), Box::new(right));
        }
    }

    /// A sign binds less than a power: `-a^2` is `-(a^2)`.
    fn arithmetic_sign(&mut self) -> Parsed<Arithmetic> {
        if self.eat('-') {
            let of = self.deeper(Self::arithmetic_sign)?;
            return Ok(Arithmetic::Negative(Box::new(of)));
        }
        self.eat('+');
        let base = self.arithmetic_atom()?;
        if !self.eat('^') {
            return Ok(base);
        }
        let exponent = self.deeper(Self::arithmetic_sign)?;
        Ok(Arithmetic::Pair(Operation::Power, Box::new(base), Box::new(exponent)))
    }

    fn arithmetic_atom(&mut self) -> Parsed<Arithmetic> {
        let at = self.here();
        let token = self.peek().cloned();
        match token {
            Some(Token::Number(number)) => {
                self.next += 1;
                Ok(Arithmetic::Constant(number))
            }
            Some(Token::Name(name)) => {
                self.next += 1;
                if self.peek() != Some(&Token::Mark('(')) || self.text[at.clone()].starts_with('`') {
                    return Ok(Arithmetic::Column(name));
                }
                match (name.as_str(), Function::of(&name)) {
                    (_, Some(function)) => Ok(Arithmetic::Function(function, Box::new(self.argument()?))),
                    ("I", None) => self.argument(),
                    (_, None) => Err(self.no_such_function(at, &name)),
                }
            }
            Some(Token::Mark('(')) => self.argument(),
            Some(Token::Mark(mark)) => {
                Err(self.error(at, format!("a number or a column is missing before the {mark}")))
            }
            Some(Token::Text(text)) => {
                Err(self.error(at, format!("a column stands without quotes here; write {text} or `{text}`")))
            }
            None => Err(self.error(at, "a number or a column is missing at the end")),
        }
    }
}

fn sorted(mut term: Term) -> Term {
    term.sort_unstable();
    term.dedup();
    term
}

fn union(mut terms: Vec<Term>, more: Vec<Term>) -> Vec<Term> {
    let mut seen: BTreeSet<Term> = terms.iter().cloned().collect();
    terms.extend(more.into_iter().filter(|term| seen.insert(term.clone())));
    terms
}

fn without(terms: Vec<Term>, gone: &[Term]) -> Vec<Term> {
    terms.into_iter().filter(|term| !gone.contains(term)).collect()
}

fn products(left: &[Term], right: &[Term]) -> Vec<Term> {
    let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
    for a in left {
        for b in right {
            let product = sorted(a.iter().chain(b).copied().collect());
            if seen.insert(product.clone()) {
                all.push(product);
            }
        }
    }
    all
}
