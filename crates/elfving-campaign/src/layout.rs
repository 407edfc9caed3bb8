//! How a batch lies on the bench: a plate, controls, and columns of which it may hold few values.

use std::fmt;
use std::str::FromStr;

use elfving::bandit::AtMost;
use elfving::pool::PointId;
use elfving_problem::Dataset;
use elfving_table::Plate;
use serde::{Deserialize, Serialize};

use crate::campaign::{Campaign, setting};
use crate::error::CampaignError;

/// Controls of one candidate in one batch: more is a slip of the finger.
const MOST_CONTROLS: usize = 10_000;

/// What every batch looks like.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `plate` | none | the wells that the slots of a batch go into |
/// | `controls` | none | candidates that are in every batch, as often as they say |
/// | `at_most` | none | columns of which a batch holds few different values |
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Layout {
    /// The plate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plate: Option<Plate>,
    /// Candidates that are in every batch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub controls: Vec<ControlWells>,
    /// Columns of which a batch holds few different values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at_most: Vec<FewValues>,
}

/// What is said of a layout anew; the rest stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LayoutChange {
    /// The plate.
    pub plate: Option<Plate>,
    /// Candidates that are in every batch.
    pub controls: Option<Vec<ControlWells>>,
    /// Columns of which a batch holds few different values.
    pub at_most: Option<Vec<FewValues>>,
}

impl LayoutChange {
    /// The layout with this said of it.
    pub fn over(&self, before: &Layout) -> Layout {
        Layout {
            plate: self.plate.or(before.plate),
            controls: self.controls.clone().unwrap_or_else(|| before.controls.clone()),
            at_most: self.at_most.clone().unwrap_or_else(|| before.at_most.clone()),
        }
    }
}

/// A candidate that is in every batch: `ID:n`, or `ID` for once.
///
/// ```
/// use elfving_campaign::ControlWells;
/// let control: ControlWells = "DMSO:4".parse()?;
/// assert_eq!((control.id.as_str(), control.count), ("DMSO", 4));
/// assert!("DMSO:0".parse::<ControlWells>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlWells {
    /// The candidate.
    pub id: String,
    /// How often it is in a batch.
    pub count: usize,
}

/// A column of which a batch holds at most so many different values: `COLUMN=k`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FewValues {
    /// The column of the user's table.
    pub column: String,
    /// How many different values.
    pub most: usize,
}

impl FewValues {
    /// All of a batch share the value.
    pub fn same(column: impl Into<String>) -> Self {
        Self { column: column.into(), most: 1 }
    }
}

impl FromStr for ControlWells {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (id, count) = match text.rsplit_once(':') {
            Some((id, count)) if count.trim().bytes().all(|byte| byte.is_ascii_digit()) => (id, count.trim()),
            _ => (text, "1"),
        };
        let count = count.parse().ok().filter(|count| (1..=MOST_CONTROLS).contains(count));
        match (id.trim(), count) {
            ("", _) | (_, None) => Err(format!("{text:?}: write ID:n, such as DMSO:4")),
            (id, Some(count)) => Ok(Self { id: id.to_owned(), count }),
        }
    }
}

impl FromStr for FewValues {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused = || format!("{text:?}: write COLUMN=k, such as solvent=3");
        let (column, most) = text.rsplit_once('=').ok_or_else(refused)?;
        let most = most.trim().parse().ok().filter(|most| *most > 0).ok_or_else(refused)?;
        match column.trim() {
            "" => Err(refused()),
            column => Ok(Self { column: column.to_owned(), most }),
        }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plate = self.plate.map(|plate| format!("plate {plate}"));
        let controls =
            self.controls.iter().map(|control| format!("control {} x {}", control.id, control.count));
        let few = self.at_most.iter().map(|few| match few.most {
            1 => format!("one value of {} per batch", few.column),
            most => format!("at most {most} values of {} per batch", few.column),
        });
        let words: Vec<String> = plate.into_iter().chain(controls).chain(few).collect();
        f.write_str(&words.join("; "))
    }
}

impl Layout {
    /// Whether nothing is said.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it decides what is measured, beside the algorithm.
    pub(crate) fn chooses(&self) -> bool {
        !self.controls.is_empty() || !self.at_most.is_empty()
    }

    /// Control wells of a batch.
    pub(crate) fn control_count(&self) -> usize {
        self.controls.iter().map(|control| control.count).sum()
    }

    /// Refuses what does not fit the candidates or the batch.
    pub(crate) fn check(&self, candidates: &Dataset, batch: usize) -> Result<(), CampaignError> {
        for control in &self.controls {
            candidates.find(&control.id)?;
            if !(1..=MOST_CONTROLS).contains(&control.count) {
                return Err(setting(format!(
                    "a control is in a batch 1 to {MOST_CONTROLS} times, got {} for {:?}",
                    control.count, control.id
                )));
            }
        }
        if let Some(few) = self.at_most.iter().find(|few| few.most == 0) {
            return Err(setting(format!("a batch holds at least 1 value of {:?}", few.column)));
        }
        let controls = self.control_count();
        if controls > 0 && controls >= batch {
            return Err(setting(format!(
                "a batch of {batch} has no room beside {controls} controls: make the batch larger, or take fewer controls"
            )));
        }
        self.rules(candidates).map(drop)
    }

    /// The value of every candidate in each of the columns.
    fn rules(&self, candidates: &Dataset) -> Result<Vec<AtMost>, CampaignError> {
        let rule = |few: &FewValues| {
            let table = candidates.table().ok_or_else(|| {
                setting(format!(
                    "there is no table with a column {:?}: the pool is a matrix of numbers",
                    few.column
                ))
            })?;
            let texts = table.texts(&few.column)?;
            let mut levels: Vec<&str> = texts.iter().map(|text| text.trim()).collect();
            levels.sort_unstable();
            levels.dedup();
            let code = |row: usize| levels.binary_search(&texts[row].trim()).unwrap_or(0) as u32;
            let values = (0..candidates.names().len()).map(|candidate| code(candidates.table_row(candidate)));
            Ok(AtMost { values: values.collect(), most: few.most })
        };
        self.at_most.iter().map(rule).collect()
    }
}

impl Campaign {
    /// Of which columns a batch holds few values.
    pub(crate) fn few_values(&self) -> Result<Vec<AtMost>, CampaignError> {
        self.spec().layout.rules(self.candidates()?)
    }

    /// The controls of a batch that may be measured.
    pub(crate) fn controls(&self) -> Result<Vec<PointId>, CampaignError> {
        let mut points = Vec::new();
        for control in &self.spec().layout.controls {
            let point = PointId::new(self.candidates()?.find(&control.id)?);
            if !self.state().barred().contains_key(&point) {
                points.extend(std::iter::repeat_n(point, control.count));
            }
        }
        Ok(points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_and_columns_are_read_and_said() {
        let layout = Layout {
            plate: Some("96".parse().unwrap()),
            controls: vec!["a:b".parse().unwrap(), "DMSO:4".parse().unwrap()],
            at_most: vec![FewValues::same("temperature"), "solvent=3".parse().unwrap()],
        };
        assert_eq!(
            layout.to_string(),
            "plate 8x12; control a:b x 1; control DMSO x 4; one value of temperature per batch; at most 3 values of solvent per batch"
        );
        let text = serde_json::to_string(&layout).unwrap();
        assert_eq!(serde_json::from_str::<Layout>(&text).unwrap(), layout);
        for wrong in ["solvent", "solvent=0", "=3", "solvent=x"] {
            assert!(wrong.parse::<FewValues>().unwrap_err().contains("COLUMN=k"));
        }
    }
}
