//! What people write in a small language (a condition, a formula), and where it is wrong.

use std::fmt;
use std::ops::Range;

/// Why a text cannot be understood, or does not fit a table: what, and where in the text.
///
/// ```
/// use elfving::text::TextError;
/// let error = TextError { message: "there is no column \"tmp\"".into(), text: "~ tmp + time".into(), at: 2..5 };
/// assert_eq!(error.to_string(), "there is no column \"tmp\"\n    ~ tmp + time\n      ^^^");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextError {
    /// What is wrong, and what was probably meant.
    pub message: String,
    /// The text.
    pub text: String,
    /// Where it is wrong: bytes of the text.
    pub at: Range<usize>,
}

impl fmt::Display for TextError {
    /// The message, the text, and a mark below the place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { message, text, at } = self;
        // One character for each line break, so that the mark stays below its place.
        let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let before = text.get(..at.start).map_or(0, |before| before.chars().count());
        let marked = text.get(at.clone()).map_or(1, |marked| marked.chars().count()).max(1);
        write!(f, "{message}\n    {line}\n    {}{}", " ".repeat(before), "^".repeat(marked))
    }
}

impl std::error::Error for TextError {}

/// The content of a quoted text and its length with the quotes; a quote inside is written twice.
pub fn quoted(text: &str, quote: char) -> Option<(String, usize)> {
    let mut content = String::new();
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = characters.next() {
        if c != quote {
            content.push(c);
        } else if characters.peek().is_some_and(|&(_, next)| next == quote) {
            characters.next();
            content.push(quote);
        } else {
            return Some((content, at + 1));
        }
    }
    None
}

/// How many bytes at the beginning of a text are a number without a sign, such as `12`, `.5` or `1e-3`.
pub fn number_length(text: &str) -> usize {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut length = digits(text);
    if text[length..].starts_with('.') {
        length += 1 + digits(&text[length + 1..]);
    }
    if let Some(exponent) = text[length..].strip_prefix(['e', 'E']) {
        let sign = usize::from(exponent.starts_with(['+', '-']));
        let exponent = digits(&exponent[sign..]);
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}

/// What to write in place of a character that word processors put in; the text goes behind `'…' means nothing here`.
pub fn typographic(c: char) -> Option<&'static str> {
    match c {
        '−' | '–' => Some("; write the minus sign as -"),
        '“' | '”' | '‘' | '’' => Some("; write straight quotes"),
        '×' | '·' => Some("; write *"),
        _ => None,
    }
}

/// The known name that needs the fewest changed, added or dropped letters, case aside; `None` when all are far away.
///
/// ```
/// use elfving::text::nearest;
/// assert_eq!(nearest("xphos", ["PPh3", "XPhos", "dppf"]), Some("XPhos"));
/// assert_eq!(nearest("water", ["PPh3", "XPhos", "dppf"]), None);
/// ```
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name: Vec<char> = name.to_lowercase().chars().collect();
    let most = name.len().div_ceil(2);
    let changes = known.into_iter().map(|other| (changes(&name, other), other));
    changes.filter(|&(count, _)| count <= most).min_by_key(|&(count, _)| count).map(|(_, other)| other)
}

/// Levenshtein's distance, one row at a time.
fn changes(name: &[char], other: &str) -> usize {
    let other: Vec<char> = other.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in name.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}
