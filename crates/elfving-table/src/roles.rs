//! Which columns of a table are features, and how each is read.

use std::collections::HashSet;

use crate::code::Code;
use crate::column::{Column, ColumnData, TextColumn};
use crate::encoding::LogBase;
use crate::hint::Hint;
use crate::marker::Marker;
use crate::notice;
use crate::number::{Decimal, Reading, classify, unit_of};
use crate::pool::{OneHot, PoolOptions};
use crate::problem::{Problem, Problems, quoted};
use crate::table::Table;
use crate::warning::{Notice, unit_in_header};

/// How a feature column is read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Role {
    Number(Option<LogBase>),
    Category,
}

/// Which columns are features, and how.
#[derive(Debug, Default)]
pub(crate) struct Roles {
    pub(crate) features: Vec<(usize, Role)>,
    text_left_out: Vec<String>,
    with_units: Vec<Notice>,
}

/// The columns that the options name, as positions.
struct Named {
    id: Option<usize>,
    excluded: Vec<usize>,
    features: Option<Vec<usize>>,
    logs: Vec<(usize, LogBase)>,
    categories: Vec<usize>,
}

impl Named {
    fn find(table: &Table, options: &PoolOptions, problems: &mut Problems) -> Self {
        let mut missing = HashSet::new();
        let mut find = |name: &String| {
            let at = table.position(name);
            // A column that several options name is refused once.
            if at.is_none() && missing.insert(name.trim().to_owned()) {
                problems.add(|| table.no_such_column(name));
            }
            at
        };
        Self {
            id: options.id.as_ref().and_then(&mut find),
            excluded: options.exclude.iter().filter_map(&mut find).collect(),
            features: options.features.as_ref().map(|names| names.iter().filter_map(&mut find).collect()),
            logs: options.log_scale.iter().filter_map(|(name, base)| Some((find(name)?, *base))).collect(),
            categories: {
                let listed: &[String] = match &options.one_hot {
                    OneHot::Columns(names) => names,
                    OneHot::Nothing | OneHot::AllText => &[],
                };
                listed.iter().chain(&options.categorical).filter_map(&mut find).collect()
            },
        }
    }

    /// The listed features, else every column but the id and those excluded.
    fn candidates(&self, table: &Table) -> Vec<usize> {
        let is_free = |at: &usize| Some(*at) != self.id && !self.excluded.contains(at);
        self.features.clone().unwrap_or_else(|| (0..table.columns().len()).filter(is_free).collect())
    }

    fn conflict(&self, at: usize, seen: &mut HashSet<usize>) -> Option<&'static str> {
        if Some(at) == self.id {
            Some("the id cannot be a feature")
        } else if self.excluded.contains(&at) {
            Some("the column is a feature and is left out")
        } else if !seen.insert(at) {
            Some("the list of features names the column twice")
        } else {
            None
        }
    }
}

impl Roles {
    pub(crate) fn choose(table: &Table, options: &PoolOptions, problems: &mut Problems) -> Self {
        let named = Named::find(table, options, problems);
        let candidates = named.candidates(table);
        let mut roles = Self::default();
        let mut seen = HashSet::new();
        for &at in &candidates {
            let column = &table.columns()[at];
            if let Some(conflict) = named.conflict(at, &mut seen) {
                problems.add(|| role_conflict(table, column, conflict));
                continue;
            }
            let kind = kind(table, column, &options.markers);
            let log = named.logs.iter().find(|(other, _)| *other == at).map(|(_, base)| *base);
            let encode_text = options.one_hot == OneHot::AllText && kind == Kind::Text;
            let is_wanted = named.features.is_some() || log.is_some();
            match kind {
                _ if encode_text || named.categories.contains(&at) => {
                    roles.features.push((at, Role::Category));
                    roles.with_units.extend(units_in_cells(table, column, true));
                    if log.is_some() {
                        problems.add(|| role_conflict(table, column, "a category cannot have a log scale"));
                    }
                }
                Kind::Number => roles.features.push((at, Role::Number(log))),
                // Every cell will be refused by name.
                Kind::Empty if is_wanted => roles.features.push((at, Role::Number(log))),
                Kind::Empty => {}
                Kind::Text if is_wanted => problems.add(|| text_feature(table, column)),
                Kind::Text => match units_in_cells(table, column, false) {
                    Some(notice) => roles.with_units.push(notice),
                    None => roles.text_left_out.push(column.name.clone()),
                },
            }
        }
        let encoded = named.categories.iter().chain(named.logs.iter().map(|(at, _)| at));
        for &at in encoded.filter(|at| !candidates.contains(at)) {
            let message = "the column is to be encoded, but it is not a feature";
            problems.add(|| role_conflict(table, &table.columns()[at], message));
        }
        if roles.features.is_empty() && problems.is_empty() {
            problems.add(|| {
                let hint = match roles.with_units.first() {
                    Some(Notice::UnitsInCells { column, units, .. }) => unit_in_header(column, units),
                    _ => Hint::NeedFeatures,
                };
                Problem::new(Code::NoFeatures, table.file(), "the table has no feature column").help(hint)
            });
        }
        roles
    }

    pub(crate) fn notices(&self, table: &Table, options: &PoolOptions) -> Vec<Notice> {
        let mut notices = Vec::new();
        if !self.text_left_out.is_empty() {
            notices.push(Notice::TextLeftOut { columns: self.text_left_out.clone() });
        }
        notices.extend(self.with_units.iter().cloned());
        if options.id.is_none() && options.features.is_none() {
            let names = self.features.iter().map(|(at, _)| table.columns()[*at].name());
            let ids = names.filter(|name| looks_like_an_id(name));
            notices.extend(ids.map(|name| Notice::IdAsFeature { column: name.to_owned() }));
        }
        notices
    }
}

/// Different values up to which a text column is a category without being asked: as many as a category may have.
pub(crate) const MOST_LEVELS: usize = 1000;

/// Rows up to which a text column may have another value in every row and still be a category: a plate of 24 wells may hold 24 ligands.
const FEW_ROWS: usize = 24;

/// What a column of text looks like. Short and long tables are looked at alike: the first rows of a table have the categories of the whole,
/// unless a value repeats only after row 24.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextLook {
    /// A category.
    Category,
    /// Names: it is called `id` or `index`, or has more than 24 rows and no value twice.
    Names,
    /// Notes: more cells are empty than not.
    Notes,
    /// There are numbers among the texts: perhaps a column of numbers with something wrong in it.
    WithNumbers,
    /// More than 1,000 different values.
    TooMany {
        /// How many.
        levels: usize,
    },
    /// Every cell is a number with a unit. Such a column is a category without order.
    WithUnits,
    /// Every cell is empty.
    Empty,
}

impl TextLook {
    /// Whether campaigns of the calibrated mode take such a column as a category by themselves.
    pub fn is_category(self) -> bool {
        matches!(self, Self::Category | Self::WithUnits)
    }
}

impl Table {
    /// The text columns that are [categories by the look of them](TextLook). Those named in `others`, such as the id and the outcomes, are
    /// not looked at.
    ///
    /// ```
    /// use elfving_table::{ReadOptions, read_bytes};
    /// let csv = b"id,ligand,note\na,XPhos,\nb,PPh3,dark\nc,SPhos,\n";
    /// let table = read_bytes("pool.csv", csv, &ReadOptions::default())?;
    /// assert_eq!(table.category_columns(["id"]), ["ligand"]);
    /// # Ok::<(), elfving_table::TableError>(())
    /// ```
    pub fn category_columns<'a>(&self, others: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let others: Vec<&str> = others.into_iter().map(str::trim).collect();
        let is_category = |column: &&Column| {
            let free = !others.contains(&column.name().trim());
            free && self.text_look(column).is_some_and(TextLook::is_category)
        };
        self.columns().iter().filter(is_category).map(|column| column.name().to_owned()).collect()
    }

    /// What a column of text looks like; none for a column of numbers. Cost: its cells.
    pub fn text_look(&self, column: &Column) -> Option<TextLook> {
        let ColumnData::Texts(texts) = column.data() else { return None };
        let empty = texts.iter().filter(|cell| cell.trim().is_empty()).count();
        let levels: HashSet<&str> = texts.iter().map(str::trim).filter(|cell| !cell.is_empty()).collect();
        let all_differ = levels.len() == texts.len() && texts.len() > FEW_ROWS;
        Some(if levels.is_empty() {
            TextLook::Empty
        } else if levels.iter().any(|level| level.parse::<f64>().is_ok()) {
            TextLook::WithNumbers
        } else if looks_like_an_id(column.name()) || all_differ {
            TextLook::Names
        } else if 2 * empty > texts.len() {
            TextLook::Notes
        } else if levels.len() > MOST_LEVELS {
            TextLook::TooMany { levels: levels.len() }
        } else if units_in_cells(self, column, true).is_some() {
            TextLook::WithUnits
        } else {
            TextLook::Category
        })
    }
}

fn looks_like_an_id(name: &str) -> bool {
    matches!(name.trim().to_ascii_lowercase().as_str(), "id" | "index")
}

/// What a column is meant to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Text,
    Empty,
}

fn kind(table: &Table, column: &Column, markers: &[Marker]) -> Kind {
    match &column.data {
        ColumnData::Texts(_) if column.declared_text => Kind::Text,
        ColumnData::Numbers(_) => Kind::Number,
        ColumnData::Texts(texts) => kind_of_texts(texts, table.dialect().decimal, markers),
    }
}

fn kind_of_texts(texts: &TextColumn, decimal: Decimal, markers: &[Marker]) -> Kind {
    let (mut numbers, mut others, mut marked) = (0, 0, 0);
    for cell in texts.iter() {
        match classify(cell, decimal) {
            _ if markers.iter().any(|marker| marker.text == cell.trim()) => marked += 1,
            Reading::Empty => {}
            reading if reading.meant_as_number() => numbers += 1,
            _ => others += 1,
        }
    }
    match (numbers, others, marked) {
        (0, 0, 0) => Kind::Empty,
        _ if numbers >= others => Kind::Number,
        _ => Kind::Text,
    }
}

fn role_conflict(table: &Table, column: &Column, message: &str) -> Problem {
    Problem::new(Code::RoleConflict, table.file(), message).column(&column.name).help(Hint::CheckRoles)
}

/// A text column where numbers are needed, with its first cells.
fn text_feature(table: &Table, column: &Column) -> Problem {
    const SHOWN: usize = 3;
    let ColumnData::Texts(texts) = &column.data else { unreachable!("a text column has text cells") };
    let is_text = |cell: &str| matches!(classify(cell, table.dialect().decimal), Reading::Text);
    let offending: Vec<usize> = (0..texts.len()).filter(|&row| is_text(texts.get(row))).collect();
    // A column of digits that was declared as text has no offending cell.
    let first = offending.first().copied().unwrap_or(0);
    let shown: Vec<String> = offending
        .iter()
        .take(SHOWN)
        .map(|&row| format!("{} ({})", quoted(texts.get(row)), notice::place(table.place(row))))
        .collect();
    let mut message = "the column is text, but a feature must be a number".to_owned();
    if !shown.is_empty() {
        message.push_str(&format!(": {}", shown.join(", ")));
    }
    if offending.len() > SHOWN {
        message.push_str(&format!(" and {} more", offending.len() - SHOWN));
    }
    let hint = match units_in_cells(table, column, false) {
        Some(Notice::UnitsInCells { units, .. }) => unit_in_header(&column.name, &units),
        _ => Hint::OneHot { column: column.name.clone() },
    };
    Problem::new(Code::NotANumber, table.file(), message)
        .at(table.place(first))
        .column(&column.name)
        .help(hint)
}

/// A notice when every cell that is not empty is a number with a unit. One unit is enough; several must stand apart from their
/// numbers (`5 mg`, `2 g`), or `1st` and `2nd` would be numbers with units.
fn units_in_cells(table: &Table, column: &Column, category: bool) -> Option<Notice> {
    const MOST_UNITS: usize = 3;
    let ColumnData::Texts(texts) = &column.data else { return None };
    let mut cells = texts.iter().filter(|cell| !cell.trim().is_empty()).peekable();
    let example = cells.peek()?.trim().to_owned();
    let mut units: Vec<String> = Vec::new();
    let mut all_apart = true;
    for cell in cells {
        let (unit, apart) = unit_of(cell, table.dialect().decimal)?;
        all_apart &= apart;
        if !units.iter().any(|known| known == unit) {
            units.push(unit.to_owned());
        }
        if units.len() > MOST_UNITS || units.len() > 1 && !all_apart {
            return None;
        }
    }
    Some(Notice::UnitsInCells { column: column.name.clone(), example, units, category })
}
