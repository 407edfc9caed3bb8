//! From text to a condition.

use super::{
    Comparison, Condition, Level, Name, Node, Span, Sum, Values, continues_word, is_keyword, starts_word,
};
use elfving::text::{TextError, nearest, number_length, quoted, typographic};

/// Parentheses inside one another, at most: deeper ones are no condition of a person.
const DEEPEST: usize = 64;

impl Condition {
    /// Reads a condition; see the [type](Self) for what can be said.
    ///
    /// # Errors
    /// [`TextError`] with the place in the text.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        let tokens = tokens(text)?;
        let mut parser = Parser { text, tokens: &tokens, next: 0, depth: 0 };
        let root = parser.any_of()?;
        match parser.peek() {
            None => Ok(Self { text: text.to_owned(), root }),
            Some(_) => Err(parser.unexpected("`and`, `or`, or the end")),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    Column(String),
    Text(String),
    Number(f64),
    Compare(Comparison),
    /// One of `( ) , + - * /`.
    Mark(char),
}

fn tokens(text: &str) -> Result<Vec<(Token, Span)>, TextError> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let end_of = |length: usize| Span { start: at, end: at + length };
        let (token, length) = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if let '"' | '\'' | '`' = c {
            let (content, length) = quoted(rest, c).ok_or_else(|| {
                end_of(rest.len())
                    .error(text, format!("the {c} is not closed; write {c} twice inside {c} {c}"))
            })?;
            (if c == '`' { Token::Column(content) } else { Token::Text(content) }, length)
        } else if starts_word(c) {
            let length = rest.find(|c| !continues_word(c)).unwrap_or(rest.len());
            (Token::Word(rest[..length].to_owned()), length)
        } else if c.is_ascii_digit() || (c == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())) {
            let length = number_length(rest);
            let number = rest[..length].parse::<f64>().ok().filter(|number| number.is_finite());
            match number {
                Some(number) => (Token::Number(number), length),
                None => return Err(end_of(length).error(text, "this number is too large")),
            }
        } else if let Some((how, word)) = Comparison::ALL.into_iter().find(|(_, word)| rest.starts_with(word))
        {
            // `==` and `<>` are what programs write.
            let length = if rest.starts_with("==") { 2 } else { word.len() };
            match rest.starts_with("<>") {
                true => (Token::Compare(Comparison::NotEqual), 2),
                false => (Token::Compare(how), length),
            }
        } else if "(),+-*/".contains(c) {
            (Token::Mark(c), 1)
        } else {
            let help = match c {
                '≤' => "; write <=",
                '≥' => "; write >=",
                '≠' => "; write !=",
                '&' => "; write and",
                '|' => "; write or",
                _ => typographic(c).unwrap_or("; a column with such a name goes in backquotes"),
            };
            return Err(end_of(c.len_utf8()).error(text, format!("{c:?} means nothing here{help}")));
        };
        found.push((token, end_of(length)));
        at += length;
    }
    Ok(found)
}

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [(Token, Span)],
    next: usize,
    depth: usize,
}

type Parsed<T> = Result<T, TextError>;

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(token, _)| token)
    }

    /// Where the next token is; a place behind the text at its end.
    fn span(&self) -> Span {
        let end = self.text.len();
        self.tokens.get(self.next).map_or(Span { start: end, end }, |&(_, span)| span)
    }

    fn unexpected(&self, wanted: &str) -> TextError {
        let message = match self.peek() {
            None => format!("the condition ends where {wanted} should follow"),
            Some(Token::Word(word)) if !is_keyword(word) => {
                let close = nearest(word, ["and", "or", "not", "in", "is"]).filter(|_| word.len() > 1);
                let help = close.map_or_else(String::new, |close| format!(" (perhaps `{close}`)"));
                format!("{wanted} should be here{help}")
            }
            Some(_) => format!("{wanted} should be here"),
        };
        self.span().error(self.text, message)
    }

    fn keyword(&mut self, keyword: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(word)) if word.eq_ignore_ascii_case(keyword));
        self.next += usize::from(found);
        found
    }

    fn mark(&mut self, mark: char) -> bool {
        let found = self.peek() == Some(&Token::Mark(mark));
        self.next += usize::from(found);
        found
    }

    fn any_of(&mut self) -> Parsed<Node> {
        let mut parts = vec![self.all_of()?];
        while self.keyword("or") {
            parts.push(self.all_of()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Node::Or(parts) })
    }

    fn all_of(&mut self) -> Parsed<Node> {
        let mut parts = vec![self.negated()?];
        while self.keyword("and") {
            parts.push(self.negated()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Node::And(parts) })
    }

    fn negated(&mut self) -> Parsed<Node> {
        let mut times = 0;
        while self.keyword("not") {
            times += 1;
        }
        let part = self.part()?;
        Ok((0..times).fold(part, |part, _| Node::Not(Box::new(part))))
    }

    /// A comparison, or a condition in parentheses; a parenthesis may begin either.
    fn part(&mut self) -> Parsed<Node> {
        let start = self.next;
        let refused = match self.comparison() {
            Ok(node) => return Ok(node),
            Err(refused) => refused,
        };
        self.next = start;
        if !self.mark('(') {
            return Err(refused);
        }
        self.deeper()?;
        let inner = self.any_of().and_then(|node| match self.mark(')') {
            true => Ok(node),
            false => Err(self.unexpected("`)`")),
        });
        self.depth -= 1;
        // What was understood further is what was meant.
        inner.map_err(|other| if other.at.start >= refused.at.start { other } else { refused })
    }

    fn deeper(&mut self) -> Parsed<()> {
        self.depth += 1;
        match self.depth > DEEPEST {
            true => Err(self.span().error(self.text, "there are too many parentheses inside one another")),
            false => Ok(()),
        }
    }

    fn comparison(&mut self) -> Parsed<Node> {
        if let Some(Token::Text(_)) = self.peek() {
            let message =
                "a comparison starts with a column; a column goes in backquotes, text behind the comparison";
            return Err(self.span().error(self.text, message));
        }
        let start = self.span();
        let left = self.sum()?;
        let left_span = start.to(self.before());
        if let Some(&Token::Compare(how)) = self.peek() {
            let sign = self.span();
            self.next += 1;
            if let Some(Token::Text(text)) = self.peek() {
                let text = Level { text: text.clone(), at: self.span() };
                self.next += 1;
                let column = self.one_column(left, left_span, "text is compared with one column")?;
                let equal = match how {
                    Comparison::Equal => true,
                    Comparison::NotEqual => false,
                    _ => return Err(sign.error(self.text, "text is compared with = and !=, or with `in`")),
                };
                return Ok(Node::Text { column, equal, text });
            }
            let right = self.sum()?;
            if left.terms.is_empty() && right.terms.is_empty() {
                let at = start.to(self.before());
                return Err(at.error(self.text, "there is no column in this comparison"));
            }
            if let Some(Token::Compare(_)) = self.peek() {
                let message = "one comparison at a time: write 1 <= x and x <= 2";
                return Err(self.span().error(self.text, message));
            }
            return Ok(Node::Numbers { left, how, right, at: start.to(self.before()) });
        }
        let not_in = matches!(self.peek(), Some(Token::Word(word)) if word.eq_ignore_ascii_case("not"));
        if not_in {
            self.next += 1;
        }
        if self.keyword("in") {
            let column = self.one_column(left, left_span, "`in` follows one column")?;
            let node = Node::In { column, values: self.values()? };
            return Ok(if not_in { Node::Not(Box::new(node)) } else { node });
        }
        if not_in {
            return Err(self.unexpected("`in`"));
        }
        if self.keyword("is") {
            let column = self.one_column(left, left_span, "`is empty` follows one column")?;
            let negated = self.keyword("not");
            if !self.keyword("empty") {
                return Err(self.unexpected("`empty`"));
            }
            let node = Node::Empty { column };
            return Ok(if negated { Node::Not(Box::new(node)) } else { node });
        }
        Err(self.unexpected("a comparison (= != < <= > >=), `in` or `is empty`"))
    }

    fn before(&self) -> Span {
        self.tokens[..self.next].last().map_or(Span::default(), |&(_, span)| span)
    }

    fn one_column(&self, sum: Sum, at: Span, message: &str) -> Parsed<Name> {
        match <[(f64, Name); 1]>::try_from(sum.terms) {
            Ok([(factor, column)]) if factor == 1.0 && sum.constant == 0.0 => Ok(column),
            _ => Err(at.error(self.text, message)),
        }
    }

    fn values(&mut self) -> Parsed<Values> {
        if !self.mark('(') {
            return Err(self.unexpected("`(`"));
        }
        let (mut numbers, mut texts) = (Vec::new(), Vec::new());
        loop {
            let at = self.span();
            if let Some(Token::Text(text)) = self.peek() {
                texts.push(Level { text: text.clone(), at });
                self.next += 1;
            } else {
                let sign = if self.mark('-') { -1.0 } else { 1.0 };
                let Some(&Token::Number(number)) = self.peek() else {
                    return Err(self.unexpected("a number, or text in quotes,"));
                };
                numbers.push(sign * number);
                self.next += 1;
            }
            if !numbers.is_empty() && !texts.is_empty() {
                return Err(at.error(self.text, "the list holds numbers or texts, not both"));
            }
            if self.mark(')') {
                return Ok(if texts.is_empty() { Values::Numbers(numbers) } else { Values::Texts(texts) });
            }
            if !self.mark(',') {
                return Err(self.unexpected("`,` or `)`"));
            }
        }
    }

    fn sum(&mut self) -> Parsed<Sum> {
        let mut sum = self.term()?;
        loop {
            let sign = match self.peek() {
                Some(Token::Mark('+')) => 1.0,
                Some(Token::Mark('-')) => -1.0,
                _ => return Ok(sum),
            };
            self.next += 1;
            let term = self.term()?;
            sum.terms.extend(term.terms.into_iter().map(|(factor, column)| (sign * factor, column)));
            sum.constant += sign * term.constant;
        }
    }

    fn term(&mut self) -> Parsed<Sum> {
        let start = self.span();
        let mut sign = 1.0;
        while self.mark('-') {
            sign = -sign;
        }
        let mut product = scaled(self.factor()?, sign);
        loop {
            let divides = match self.peek() {
                Some(Token::Mark('*')) => false,
                Some(Token::Mark('/')) => true,
                _ => break,
            };
            self.next += 1;
            let other = self.factor()?;
            product = match (other.terms.is_empty(), product.terms.is_empty(), divides) {
                (true, _, true) => scaled(product, 1.0 / other.constant),
                (true, _, false) => scaled(product, other.constant),
                (false, true, false) => scaled(other, product.constant),
                _ => {
                    let message = "only sums are understood: a column is multiplied or divided by a number";
                    return Err(start.to(self.before()).error(self.text, message));
                }
            };
        }
        let finite =
            product.terms.iter().map(|(factor, _)| *factor).chain([product.constant]).all(f64::is_finite);
        match finite {
            true => Ok(product),
            false => Err(start.to(self.before()).error(self.text, "a number here is not finite")),
        }
    }

    fn factor(&mut self) -> Parsed<Sum> {
        let at = self.span();
        let of_column =
            |name: &str| Sum { terms: vec![(1.0, Name { name: name.to_owned(), at })], constant: 0.0 };
        let factor = match self.peek() {
            Some(Token::Number(number)) => Sum { terms: Vec::new(), constant: *number },
            Some(Token::Column(name)) => of_column(name),
            Some(Token::Word(word)) if !is_keyword(word) => of_column(word),
            Some(Token::Mark('(')) => {
                self.next += 1;
                self.deeper()?;
                let sum = self.sum()?;
                self.depth -= 1;
                return match self.mark(')') {
                    true => Ok(sum),
                    false => Err(self.unexpected("`)`")),
                };
            }
            _ => return Err(self.unexpected("a column or a number")),
        };
        self.next += 1;
        Ok(factor)
    }
}

fn scaled(sum: Sum, by: f64) -> Sum {
    let terms = sum.terms.into_iter().map(|(factor, column)| (factor * by, column)).collect();
    // No negative zero: it would be printed as 0 and read back as another number.
    Sum { terms, constant: sum.constant * by + 0.0 }
}
