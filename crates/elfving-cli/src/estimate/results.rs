//! The outcomes of a plan: matched by slot, or by candidate with repetitions.

use std::collections::HashMap;
use std::path::Path;

use elfving_problem::Measurements;
use elfving_table::{
    Code, Hint, LISTED, Problem, ReadOptions, Table, TableError, nearest, slot_index, slot_name,
};

use crate::error::CliError;
use crate::input;
use crate::pool_source::LoadedPool;
use crate::words::counted;

/// The outcome of every slot, as far as there is one.
pub(super) struct Results {
    file: String,
    lines: usize,
    /// The candidate and the outcome of each slot.
    slots: Vec<(usize, Option<f64>)>,
    failed: usize,
    named: bool,
}

impl Results {
    /// Reads the table; it is taken as a whole or refused as a whole.
    pub(super) fn read(
        path: &Path,
        outcome: Option<&str>,
        candidates: &[usize],
        in_order: bool,
        loaded: &LoadedPool,
    ) -> Result<Self, CliError> {
        let id = loaded.id_column().unwrap_or("row");
        let table = read_with_names(path, &loaded.spec().reading, id)?;
        let outcome = outcome.or(loaded.spec().outcome.as_deref()).unwrap_or("outcome");
        let outcomes = table.optional_numbers(outcome).map_err(with_help_for_outcomes)?;
        let named = in_order && table.column("slot").is_ok();
        let mut refused = Refused::default();
        let failed = refused.statuses(&table, &outcomes)?;
        let slots_of_lines = if named {
            refused.slots(&table, candidates, id, loaded)?
        } else {
            refused.repetitions(&table, id, candidates, &outcomes, loaded)?
        };
        refused.finish()?;
        let mut slots: Vec<(usize, Option<f64>)> = candidates.iter().map(|&row| (row, None)).collect();
        for (slot, outcome) in slots_of_lines.into_iter().zip(&outcomes) {
            if let (Some(slot), Some(_)) = (slot, outcome) {
                slots[slot].1 = *outcome;
            }
        }
        let file = crate::pool_source::file_name(Some(path));
        Ok(Self { file, lines: table.rows(), slots, failed, named })
    }

    /// Candidate and outcome of each slot.
    pub(super) fn slots(&self) -> &[(usize, Option<f64>)] {
        &self.slots
    }

    /// Slots without an outcome.
    pub(super) fn open(&self) -> usize {
        self.slots.iter().filter(|(_, outcome)| outcome.is_none()).count()
    }

    pub(super) fn lines(&self) -> usize {
        self.lines
    }

    pub(super) fn failed(&self) -> usize {
        self.failed
    }

    pub(super) fn recorded(&self) -> usize {
        self.slots.len() - self.open()
    }

    /// `results.csv: 20 lines read, 18 outcomes recorded, 0 refused; 2 measurements open, 1 of them failed`.
    pub(super) fn account(&self) -> String {
        let (lines, recorded, open, failed) = (self.lines, self.recorded(), self.open(), self.failed);
        let file = &self.file;
        format!(
            "{file}: {} read, {} recorded, 0 refused; {} open ({failed} failed)",
            counted(lines, "line"),
            counted(recorded, "outcome"),
            counted(open, "measurement")
        )
    }

    /// The refusal to estimate with measurements missing.
    pub(super) fn incomplete(&self, plan: &Measurements, loaded: &LoadedPool) -> CliError {
        const SHOWN: usize = 5;
        let open = self.slots.iter().enumerate().filter(|(_, (_, outcome))| outcome.is_none());
        let name = |(slot, &(row, _)): (usize, &(usize, Option<f64>))| match self.named {
            true => format!("{} ({})", slot_name(slot), &loaded.ids()[row]),
            false => loaded.ids()[row].to_owned(),
        };
        let names: Vec<String> = open.map(name).collect();
        let more =
            if names.len() > SHOWN { format!(" and {} more", names.len() - SHOWN) } else { String::new() };
        let shown = names[..names.len().min(SHOWN)].join(", ");
        let have = if names.len() == 1 { "has" } else { "have" };
        let message = format!(
            "{}: {} {have} no outcome: {shown}{more}",
            self.file,
            counted(names.len(), "measurement")
        );
        let why = match plan {
            Measurements::Draws(_) => "leaving out draws biases the estimates",
            Measurements::Allocation(_) => "which ones are missing may depend on their outcomes",
        };
        CliError::decision("E801", message, format!("measure them ({why}), or go on with --no-guarantee"))
    }
}

/// What is wrong with a table of results, the first problems kept.
#[derive(Default)]
struct Refused {
    problems: Vec<Problem>,
    total: usize,
}

impl Refused {
    fn add(&mut self, problem: impl FnOnce() -> Problem) {
        self.total += 1;
        if self.problems.len() < LISTED {
            self.problems.push(problem());
        }
    }

    fn finish(self) -> Result<(), TableError> {
        match self.total {
            0 => Ok(()),
            total => Err(TableError::Refused { problems: self.problems, total }),
        }
    }

    /// How many runs failed. A status is empty, `done` or `failed`, and a failed run has no outcome.
    fn statuses(&mut self, table: &Table, outcomes: &[Option<f64>]) -> Result<usize, TableError> {
        if table.column("status").is_err() {
            return Ok(0);
        }
        let mut failed = 0;
        for (line, (status, outcome)) in table.texts("status")?.iter().zip(outcomes).enumerate() {
            let problem = |message: String, help: &'static str| {
                let problem = Problem::new(Code::BadStatus, table.file(), message);
                problem.at(table.place(line)).column("status").help(help)
            };
            match (status.trim(), outcome) {
                ("failed", None) => failed += 1,
                ("failed", Some(y)) => self.add(|| {
                    let message = format!("the run failed, but its outcome is {y}");
                    problem(message, "for a failed run leave the outcome empty")
                }),
                ("" | "done", _) => {}
                (other, _) => self
                    .add(|| problem(format!("{other:?} is not a status"), "write failed, done, or nothing")),
            }
        }
        Ok(failed)
    }

    /// The slot of each line, by its name.
    fn slots(
        &mut self,
        table: &Table,
        candidates: &[usize],
        id: &str,
        loaded: &LoadedPool,
    ) -> Result<Vec<Option<usize>>, TableError> {
        let names = table.texts("slot")?;
        let ids = table.column(id).is_ok().then(|| table.texts(id)).transpose()?;
        let mut first_line: HashMap<usize, usize> = HashMap::new();
        let mut find = |(line, name): (usize, &String)| {
            let name = name.trim();
            let Some(slot) = slot_index(name).filter(|&slot| slot < candidates.len()) else {
                self.add(|| unknown_slot(table, line, name, candidates.len()));
                return None;
            };
            if let Some(earlier) = first_line.insert(slot, line) {
                self.add(|| {
                    let message = format!("slot {name} is also on {}", place(table, earlier));
                    let problem = Problem::new(Code::DuplicateSlot, table.file(), message);
                    problem.at(table.place(line)).column("slot").help("keep the line that is right")
                });
                return None;
            }
            let planned = &loaded.ids()[candidates[slot]];
            match ids.as_ref().map(|ids| &ids[line]) {
                Some(id) if id != planned => {
                    self.add(|| {
                        let message =
                            format!("slot {name} is for candidate {planned:?}, the line says {id:?}");
                        let problem = Problem::new(Code::WrongCandidate, table.file(), message);
                        problem.at(table.place(line)).help("correct the slot or the id; nothing is guessed")
                    });
                    None
                }
                _ => Some(slot),
            }
        };
        Ok(names.iter().enumerate().map(&mut find).collect())
    }

    /// The slot of each line, by candidate: its k-th outcome belongs to its k-th slot.
    fn repetitions(
        &mut self,
        table: &Table,
        id: &str,
        candidates: &[usize],
        outcomes: &[Option<f64>],
        loaded: &LoadedPool,
    ) -> Result<Vec<Option<usize>>, TableError> {
        let rows = table.positions(id, loaded.ids().iter())?;
        let mut free: Vec<std::collections::VecDeque<usize>> = vec![Default::default(); loaded.ids().len()];
        candidates.iter().enumerate().for_each(|(slot, &row)| free[row].push_back(slot));
        let planned: Vec<usize> = free.iter().map(|slots| slots.len()).collect();
        let mut take = |(line, &row): (usize, &usize)| {
            outcomes[line]?;
            let slot = free[row].pop_front();
            if slot.is_none() {
                self.add(|| {
                    let name = &loaded.ids()[row];
                    let message = match planned[row] {
                        0 => format!("candidate {name:?} is not in the plan"),
                        1 => format!("candidate {name:?} is planned once, not more often"),
                        times => format!("candidate {name:?} is planned {times} times, not more often"),
                    };
                    let problem = Problem::new(Code::TooManyResults, table.file(), message);
                    problem.at(table.place(line)).column(id).help("give the results of this plan alone")
                });
            }
            slot
        };
        Ok(rows.iter().enumerate().map(&mut take).collect())
    }
}

/// The table, with those of ids, slots and statuses that it has as text however they look; a sheet with slots needs no ids.
fn read_with_names(path: &Path, plain: &ReadOptions, id: &str) -> Result<Table, TableError> {
    let plain = ReadOptions { text: Vec::new(), ..plain.clone() };
    let seen = input::table(path, &plain)?;
    let names = [id, "slot", "status"].into_iter().filter(|name| seen.column(name).is_ok());
    input::table(path, &names.fold(plain, |options, name| options.text(name)))
}

/// A run without a number has a way to say so.
fn with_help_for_outcomes(error: TableError) -> TableError {
    let explain = |problem: Problem| match problem.code {
        _ if matches!(problem.help, Some(Hint::WithoutUnit { .. })) => problem,
        Code::NotFinite | Code::NotANumber => problem.help(Hint::LeaveCellEmpty),
        _ => problem,
    };
    match error {
        TableError::Refused { problems, total } => {
            TableError::Refused { problems: problems.into_iter().map(explain).collect(), total }
        }
        other => other,
    }
}

fn unknown_slot(table: &Table, line: usize, name: &str, slots: usize) -> Problem {
    let known: Vec<String> = (0..slots).map(slot_name).collect();
    let help = match nearest(name, known.iter().map(String::as_str)) {
        Some(close) => format!("the nearest slot is {close}"),
        None => format!("the slots are {} to {}", slot_name(0), slot_name(slots - 1)),
    };
    let problem =
        Problem::new(Code::UnknownSlot, table.file(), format!("{name:?} is not a slot of the plan"));
    problem.at(table.place(line)).column("slot").help(help)
}

fn place(table: &Table, line: usize) -> String {
    match table.place(line) {
        elfving_table::Place::Line(line) => format!("line {line}"),
        elfving_table::Place::Row(row) => format!("row {row}"),
        elfving_table::Place::File => "another line".to_owned(),
    }
}
