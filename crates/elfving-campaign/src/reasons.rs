//! Why each measurement of a round is in it, in the user's names and sign.

use std::collections::HashMap;

use elfving::bandit::{SlotState, Why};
use elfving_problem::{Dataset, SeenAs};

use crate::campaign::Campaign;
use crate::spec::Mode;

/// More columns than this are no recipe that one compares at a glance.
const MOST_COLUMNS: usize = 12;
/// Columns by which two recipes may differ and still be alike.
const MOST_DIFFERENCES: usize = 2;
/// A level of a category that was tried so often or less is hardly known, once there are this many measurements.
const HARDLY_TRIED: usize = 1;
const ENOUGH: usize = 8;

/// The reasons of the slots of a campaign.
pub(crate) struct Reasons<'a> {
    campaign: &'a Campaign,
    candidates: &'a Dataset,
    /// The reasons of a round, looked up once.
    of_round: Option<(usize, Vec<Why>)>,
    /// How often each candidate was measured.
    measured: Vec<u64>,
    recipes: Option<Recipes>,
}

impl<'a> Reasons<'a> {
    pub(crate) fn new(campaign: &'a Campaign, candidates: &'a Dataset) -> Self {
        let measured = campaign.measured(candidates);
        let recipes = match campaign.spec().mode {
            Mode::Calibrated => Recipes::of(campaign, candidates),
            Mode::Certified => None,
        };
        Self { campaign, candidates, of_round: None, measured, recipes }
    }

    /// The reason of a slot in one word and in several.
    pub(crate) fn of(&mut self, round: usize, place: usize) -> (&'static str, String) {
        let state = self.campaign.state();
        let record = &state.rounds()[round];
        if self.of_round.as_ref().is_none_or(|(known, _)| *known != round) {
            self.of_round = Some((round, record.plan().why()));
        }
        let why = self.of_round.as_ref().and_then(|(_, why)| why.get(record.measurement(place)));
        let choices = self.candidates.choices().text();
        let point = record.points()[place].index();
        let words = match why {
            None => format!("chosen by {}", state.spec.algorithm),
            Some(Why::Comparison { rival, leader, width }) => {
                let (rival, leader) = (&choices[rival.index()], &choices[leader.index()]);
                Why::comparison(rival, leader, *width)
            }
            // What is planned is not measured yet: count what was told.
            Some(Why::Repeat { .. }) => match self.measured[point] {
                0 => "replicate: within this batch".to_owned(),
                so_far => format!("replicate: {so_far} so far"),
            },
            Some(Why::Forced) if !state.spec.limits.are_none() || !state.spec.layout.at_most.is_empty() => {
                format!("{}: limits on repeats and rules about columns do not apply", Why::Forced)
            }
            Some(other) => other.turned(state.spec.aim.sign()).to_string(),
        };
        let recipes = self.recipes.as_ref().filter(|_| matches!(why, Some(Why::Promise { .. })));
        match recipes {
            Some(recipes) => {
                let expected = words.strip_prefix("promising: ").unwrap_or(&words);
                if let Some(unknown) = recipes.hardly_tried(self.candidates, point) {
                    return ("unknown", format!("unknown: {unknown}; expected {expected}"));
                }
                match recipes.like(self.candidates, point) {
                    Some(like) => ("promising", format!("promising: {like}; expected {expected}")),
                    None => ("promising", format!("promising: expected {expected}")),
                }
            }
            None => (why.map_or("design", kind), words),
        }
    }
}

/// A reason in one word.
fn kind(why: &Why) -> &'static str {
    match why {
        Why::Width { .. } => "unknown",
        Why::Comparison { .. } | Why::Telling { .. } => "compare",
        Why::Promise { .. } => "promising",
        Why::Repeat { .. } => "replicate",
        Why::Forced => "forced",
        Why::Control => "control",
        Why::Start => "start",
        _ => "design",
    }
}

/// What was measured, by what it is made of.
struct Recipes {
    /// The places of the model's columns in the user's table, their names, and whether they are categories.
    columns: Vec<(usize, String, bool)>,
    /// The better half of what was measured, the best first: id and cells.
    good: Vec<(String, Vec<String>)>,
    /// How often each level of each category was measured.
    tried: HashMap<(usize, String), usize>,
}

impl Recipes {
    /// None without a table, without measurements, and where there are too many columns.
    fn of(campaign: &Campaign, candidates: &Dataset) -> Option<Self> {
        let table = candidates.table()?;
        let seen = candidates.columns_seen();
        let place = |name: &str| table.columns().iter().position(|column| column.name() == name);
        let columns: Vec<(usize, String, bool)> = seen
            .iter()
            .filter(|seen| !matches!(seen.kind, SeenAs::Ignored { .. }))
            .filter_map(|seen| {
                let is_category = matches!(seen.kind, SeenAs::Category { .. });
                Some((place(&seen.column)?, seen.column.clone(), is_category))
            })
            .collect();
        if columns.is_empty() || columns.len() > MOST_COLUMNS {
            return None;
        }
        let mut outcomes: HashMap<usize, Vec<f64>> = HashMap::new();
        for (_, point, slot) in campaign.state().slots() {
            if let SlotState::Told(reading) = &slot.state {
                outcomes.entry(point.index()).or_default().push(reading.mean());
            }
        }
        for (point, reading) in campaign.state().brought() {
            outcomes.entry(point.index()).or_default().push(reading.mean());
        }
        let sign = campaign.spec().aim.sign();
        let mean = |values: &[f64]| sign * values.iter().sum::<f64>() / values.len() as f64;
        let mut measured: Vec<(usize, f64)> =
            outcomes.iter().map(|(point, values)| (*point, mean(values))).collect();
        measured.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut recipes = Self { columns, good: Vec::new(), tried: HashMap::new() };
        for (rank, (point, _)) in measured.iter().enumerate() {
            let cells = recipes.cells(candidates, *point);
            for (k, (_, _, is_category)) in recipes.columns.iter().enumerate() {
                if *is_category {
                    *recipes.tried.entry((k, cells[k].clone())).or_default() += outcomes[point].len();
                }
            }
            if 2 * rank < measured.len() {
                recipes.good.push((candidates.names().name(*point).into_owned(), cells));
            }
        }
        (measured.len() >= ENOUGH).then_some(recipes)
    }

    fn cells(&self, candidates: &Dataset, point: usize) -> Vec<String> {
        let Some(table) = candidates.table() else { return Vec::new() };
        let cells: Vec<String> =
            table.cells(candidates.table_row(point)).map(|cell| cell.to_string()).collect();
        self.columns.iter().map(|(place, ..)| cells[*place].clone()).collect()
    }

    /// `ligand XPhos was tried once`: the first level that is hardly known.
    fn hardly_tried(&self, candidates: &Dataset, point: usize) -> Option<String> {
        let cells = self.cells(candidates, point);
        let known = |k: usize| self.tried.get(&(k, cells[k].clone())).copied().unwrap_or(0);
        let categories = (0..cells.len()).filter(|&k| self.columns[k].2);
        let least = categories.min_by_key(|&k| known(k)).filter(|&k| known(k) <= HARDLY_TRIED)?;
        let times = if known(least) == 0 { "never tried" } else { "tried once" };
        Some(format!("{} {} was {times}", self.columns[least].1, cells[least]))
    }

    /// `like 1360 but solvent DMAc`: the best of those in the better half that differ in the fewest columns.
    fn like(&self, candidates: &Dataset, point: usize) -> Option<String> {
        let cells = self.cells(candidates, point);
        let differing = |other: &[String]| (0..cells.len()).filter(|&k| cells[k] != other[k]).count();
        let alike = self.good.iter().filter(|(_, other)| (1..=MOST_DIFFERENCES).contains(&differing(other)));
        let (id, other) = alike.min_by_key(|(_, other)| differing(other))?;
        let changes: Vec<String> = (0..cells.len())
            .filter(|&k| cells[k] != other[k])
            .map(|k| format!("{} {}", self.columns[k].1, cells[k]))
            .collect();
        Some(format!("like {id} but {}", changes.join(" and ")))
    }
}
