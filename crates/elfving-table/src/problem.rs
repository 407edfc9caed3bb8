//! Why a table is refused: every problem names the file, the line, the column and what to do about it.

use std::fmt;
use std::io;

use elfving::units::ErrorKind;
use serde::Serialize;

use crate::code::Code;
use crate::hint::Hint;
use elfving::text::TextError;

/// How many problems of a file are kept and printed; the rest is counted.
pub const LISTED: usize = 20;

/// Where in a file a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// The file as a whole.
    File,
    /// A physical line of a text file, from 1: where the row starts.
    Line(u64),
    /// A row of a file without lines (`.npy`, `.npz`, `.parquet`), from 0.
    Row(u64),
}

/// One reason why a table was refused.
///
/// `Display` is `error[E312]: pool.csv:17: column "yield": "NaN" is not a finite number`, and the help on a line of its own in
/// neutral words; [`render`](Self::render) takes the words of a shell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Problem {
    /// The code, which never changes its meaning.
    pub code: Code,
    /// The file as the user named it.
    pub file: Box<str>,
    /// The line or the row.
    pub place: Place,
    /// The column, when one cell or one column is at fault.
    pub column: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<Hint>,
}

impl Problem {
    /// A problem of the file as a whole; narrow it with [`at`](Self::at), [`column`](Self::column) and
    /// [`help`](Self::help).
    pub fn new(code: Code, file: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code,
            file: file.into().into_boxed_str(),
            place: Place::File,
            column: None,
            message: message.into(),
            help: None,
        }
    }

    /// Names the line or the row.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    /// Names the column.
    #[must_use]
    pub fn column(mut self, column: impl Into<String>) -> Self {
        self.column = Some(column.into());
        self
    }

    /// Says what to do about it: a [`Hint`], or text that names no option.
    #[must_use]
    pub fn help(mut self, help: impl Into<Hint>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The physical line, for a file that has lines.
    pub fn line(&self) -> Option<u64> {
        match self.place {
            Place::Line(line) => Some(line),
            Place::File | Place::Row(_) => None,
        }
    }

    /// The problem as it is printed, with the help in the words of a shell.
    pub fn render(&self, words: &dyn Fn(&Hint) -> String) -> String {
        with_help(self.line_of_text(), self.help.as_ref(), words)
    }

    /// Everything but the help.
    fn line_of_text(&self) -> String {
        let place = match self.place {
            Place::File => String::new(),
            Place::Line(line) => format!(":{line}"),
            Place::Row(row) => format!(": row {row}"),
        };
        let column = self.column.as_ref().map_or_else(String::new, |column| format!("column {column:?}: "));
        format!("error[{}]: {}{place}: {column}{}", self.code, self.file, self.message)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(&Hint::to_string))
    }
}

/// A message, and below it the help.
pub(crate) fn with_help(message: String, help: Option<&Hint>, words: &dyn Fn(&Hint) -> String) -> String {
    match help {
        Some(help) => format!("{message}\n  help: {}", words(help)),
        None => message,
    }
}

/// A table that was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The data are not acceptable: the first [`LISTED`] problems in the order of the file, and how many there
    /// are in all.
    #[error("{}", listing(problems, *total, &Hint::to_string))]
    Refused {
        /// The first [`LISTED`] problems, in the order of the file.
        problems: Vec<Problem>,
        /// How many problems the file has.
        total: usize,
    },
    /// A condition on the rows does not fit the table.
    #[error("error[E211]: {0}")]
    Condition(TextError),
    /// The file could not be read.
    #[error("error[{}]: {file}: cannot be read: {source}", Code::CannotRead)]
    Io {
        /// The file as the user named it.
        file: String,
        /// What the operating system said.
        source: io::Error,
    },
}

impl TableError {
    /// What kind of mistake it is. A file whose problems are all of one kind is of that kind.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Refused { problems, .. } => {
                let all = |code: Code| problems.iter().all(|problem| problem.code == code);
                if all(Code::UnknownSlot) {
                    ErrorKind::UnknownSlot
                } else if all(Code::Conflict) {
                    ErrorKind::Conflict
                } else {
                    ErrorKind::Data
                }
            }
            Self::Condition(_) => ErrorKind::Usage,
            Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => ErrorKind::MissingFile,
            Self::Io { .. } => ErrorKind::Data,
        }
    }

    /// The refusal as it is printed, with every help in the words of a shell. `Display` is the same in neutral words.
    ///
    /// Every problem is on a line of its own; neighbours with the same help share it.
    pub fn render(&self, words: &dyn Fn(&Hint) -> String) -> String {
        match self {
            Self::Refused { problems, total } => listing(problems, *total, words),
            Self::Condition(_) | Self::Io { .. } => self.to_string(),
        }
    }

    /// The problems that are listed; none when the file could not be read at all.
    pub fn problems(&self) -> &[Problem] {
        match self {
            Self::Refused { problems, .. } => problems,
            Self::Condition(_) | Self::Io { .. } => &[],
        }
    }

    /// How many problems there are, listed or not.
    pub fn total(&self) -> usize {
        match self {
            Self::Refused { total, .. } => *total,
            Self::Condition(_) | Self::Io { .. } => 1,
        }
    }

    pub(crate) fn io(file: &str, source: io::Error) -> Self {
        Self::Io { file: file.to_owned(), source }
    }
}

impl From<TextError> for TableError {
    fn from(error: TextError) -> Self {
        Self::Condition(error)
    }
}

impl From<Problem> for TableError {
    fn from(problem: Problem) -> Self {
        Self::Refused { problems: vec![problem], total: 1 }
    }
}

fn listing(problems: &[Problem], total: usize, words: &dyn Fn(&Hint) -> String) -> String {
    let mut lines = Vec::with_capacity(problems.len() + 1);
    for (k, problem) in problems.iter().enumerate() {
        let next = problems.get(k + 1).and_then(|next| next.help.as_ref());
        let help = problem.help.as_ref().filter(|&help| next != Some(help));
        lines.push(with_help(problem.line_of_text(), help, words));
    }
    if total > problems.len() {
        lines.push(format!("  and {} more problems, {total} in all", total - problems.len()));
    }
    lines.join("\n")
}

/// Collects problems, builds at most [`LISTED`] of them and counts the rest.
///
/// ```
/// use elfving_table::{Code, Place, Problem, Problems};
/// let mut problems = Problems::default();
/// problems.add(|| Problem::new(Code::BadStatus, "results.csv", "\"?\" is not a status").at(Place::Line(3)));
/// assert_eq!(problems.finish().unwrap_err().total(), 1);
/// ```
#[derive(Debug, Default)]
pub struct Problems {
    kept: Vec<Problem>,
    total: usize,
}

impl Problems {
    /// Adds a problem; problems come in the order of the file, so only the first ones are built.
    pub fn add(&mut self, problem: impl FnOnce() -> Problem) {
        self.total += 1;
        if self.kept.len() < LISTED {
            self.kept.push(problem());
        }
    }

    /// Takes over the problems of another column, and keeps the order of the file.
    pub fn absorb(&mut self, other: Self) {
        self.total += other.total;
        self.kept.extend(other.kept);
        self.kept.sort_by_key(|problem| problem.place);
        self.kept.truncate(LISTED);
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// `Ok` when nothing was found.
    ///
    /// # Errors
    /// [`TableError::Refused`] with what was found.
    pub fn finish(self) -> Result<(), TableError> {
        match self.total {
            0 => Ok(()),
            total => Err(TableError::Refused { problems: self.kept, total }),
        }
    }
}

impl From<TableError> for Problems {
    /// The problems of a refusal, to be listed with others; a file that cannot be read is one problem.
    fn from(error: TableError) -> Self {
        match error {
            TableError::Refused { problems, total } => Self { kept: problems, total },
            TableError::Condition(error) => {
                let other = Problem::new(Code::NoSuchColumn, error.text, error.message);
                Self { kept: vec![other], total: 1 }
            }
            TableError::Io { file, source } => {
                let unread = Problem::new(Code::CannotRead, file, format!("cannot be read: {source}"));
                Self { kept: vec![unread], total: 1 }
            }
        }
    }
}

/// A cell as it is quoted in a message: escaped, and not longer than 40 characters.
pub(crate) fn quoted(cell: &str) -> String {
    const SHOWN: usize = 40;
    match cell.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{:?}", format!("{}…", &cell[..end])),
        None => format!("{cell:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn not_finite(line: u64) -> Problem {
        Problem::new(Code::NotFinite, "results.csv", "\"NaN\" is not a finite number")
            .at(Place::Line(line))
            .column("yield")
            .help(Hint::LeaveCellEmpty)
    }

    #[test]
    fn a_problem_prints_as_the_contract_says() {
        let expected = "error[E312]: results.csv:17: column \"yield\": \"NaN\" is not a finite number\n  \
                        help: for a failed run leave the cell empty and set status=failed";
        assert_eq!(not_finite(17).to_string(), expected);
        assert_eq!(TableError::from(not_finite(17)).to_string(), expected);
    }

    #[test]
    fn a_shell_says_the_help_in_its_own_words_and_keeps_the_layout() {
        let mut problems = Problems::default();
        (2..32).for_each(|line| problems.add(|| not_finite(line)));
        let error = problems.finish().unwrap_err();
        let words = |hint: &Hint| format!("<{hint:?}>");
        assert_eq!(
            error.render(&words),
            error.to_string().replace(&Hint::LeaveCellEmpty.to_string(), "<LeaveCellEmpty>")
        );
        assert!(error.problems()[0].render(&words).ends_with("\n  help: <LeaveCellEmpty>"));
    }

    #[test]
    fn twenty_problems_are_listed_and_the_rest_is_counted() {
        let mut problems = Problems::default();
        for line in 2..32 {
            problems.add(|| not_finite(line));
        }
        let error = problems.finish().unwrap_err();
        assert_eq!((error.problems().len(), error.total()), (20, 30));
        let text = error.to_string();
        assert_eq!(text.matches("error[E312]").count(), 20);
        assert_eq!(text.matches("help:").count(), 1);
        assert!(text.ends_with("\n  and 10 more problems, 30 in all"), "{text}");
    }

    #[test]
    fn problems_of_several_columns_come_in_the_order_of_the_file() {
        let mut all = Problems::default();
        for lines in [[5, 9], [3, 7]] {
            let mut column = Problems::default();
            for line in lines {
                column.add(|| not_finite(line));
            }
            all.absorb(column);
        }
        let error = all.finish().unwrap_err();
        let lines: Vec<_> = error.problems().iter().filter_map(Problem::line).collect();
        assert_eq!(lines, [3, 5, 7, 9]);
    }

    #[test]
    fn long_cells_are_cut_in_messages() {
        assert_eq!(quoted("a\tb"), r#""a\tb""#);
        assert_eq!(quoted(&"x".repeat(100)).chars().count(), 43);
    }
}
