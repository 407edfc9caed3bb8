//! Factors and mixtures as people write them, and tables of ranges.

use super::{Factor, FactorError, Levels, Mixture, USUAL_LEVELS};
use elfving_table::Table;

/// Most levels of one factor: more is a slip of the step.
const MOST_LEVELS: usize = 100_000;
/// A step reaches the end of its range, or the whole of a mixture, within this part of itself.
const ON_THE_STEP: f64 = 1e-6;
/// Digits of a level: what adding steps rounds is not shown.
const DIGITS: usize = 12;

impl Factor {
    /// `temp=20:100:20` (from, to, step), `temp=20:100` (`levels` equal steps), `dose=1,2,5` (numbers) or `base=K2CO3,KOAc` (categories).
    ///
    /// # Errors
    /// [`FactorError`] with what to write instead.
    pub fn parse(text: &str, levels: usize) -> Result<Self, FactorError> {
        let example = "write it as temp=20:100:20 or base=K2CO3,KOAc";
        let Some((name, values)) = text.split_once('=') else {
            return Err(FactorError::new(format!("{text:?} has no levels"), example));
        };
        let (name, values) = (name.trim(), values.trim());
        if name.is_empty() || values.is_empty() {
            return Err(FactorError::new(format!("{text:?} needs a name and levels"), example));
        }
        let ends: Vec<&str> = values.split(':').map(str::trim).collect();
        let numbers: Option<Vec<f64>> = ends.iter().map(|end| number(end)).collect();
        match numbers.as_deref() {
            Some([low, high]) => Self::range(name, *low, *high, None, levels),
            Some([low, high, step]) => Self::range(name, *low, *high, Some(*step), levels),
            _ => {
                let listed: Vec<String> = values.split(',').map(|level| level.trim().to_owned()).collect();
                let numbers: Option<Vec<f64>> = listed.iter().map(|level| number(level)).collect();
                Self::listed(name, numbers.map_or(Levels::Names(listed), Levels::Numbers))
            }
        }
    }

    /// From low to high in steps, or in `levels` levels where there is no step.
    ///
    /// # Errors
    /// [`FactorError`] unless low is below high and whole steps reach it.
    pub fn range(
        name: &str,
        low: f64,
        high: f64,
        step: Option<f64>,
        levels: usize,
    ) -> Result<Self, FactorError> {
        let levels = match step {
            Some(step) => steps(name, low, high, step)?,
            None => equal_steps(name, low, high, levels)?,
        };
        Ok(Self { name: name.to_owned(), levels })
    }

    /// These levels.
    ///
    /// # Errors
    /// [`FactorError`] for none, for one that is twice there, for one without a name or that is not finite.
    pub fn listed(name: &str, levels: Levels) -> Result<Self, FactorError> {
        let refuse = |what: String, help: &str| Err(FactorError::new(format!("{name} has {what}"), help));
        let (names, bad): (Vec<String>, bool) = match &levels {
            // The same number, however it is written.
            Levels::Numbers(values) => {
                (values.iter().map(f64::to_string).collect(), !values.iter().all(|value| value.is_finite()))
            }
            Levels::Names(names) => (names.clone(), names.iter().any(|name| name.trim().is_empty())),
        };
        if name.trim().is_empty() || names.is_empty() {
            return refuse(
                "no name or no levels".to_owned(),
                "write it as temp=20:100:20 or base=K2CO3,KOAc",
            );
        }
        if bad {
            return refuse(
                "a level that is empty or not finite".to_owned(),
                "separate the levels with single commas",
            );
        }
        if let Some(i) = (1..names.len()).find(|&i| names[..i].contains(&names[i])) {
            return refuse(format!("the level {} twice", names[i]), "give each level once");
        }
        Ok(Self { name: name.to_owned(), levels })
    }

    /// The factors of a table with the columns `factor`, `low` and `high`, and `step` or `levels` where it has them: one row per factor.
    ///
    /// # Errors
    /// [`FactorError`] for a table that is another.
    pub fn of_table(table: &Table, levels: usize) -> Result<Vec<Self>, FactorError> {
        if !is_ranges(table) {
            let message = format!("{} has no columns factor, low and high", table.file());
            return Err(FactorError::new(message, "give each factor a row: factor,low,high"));
        }
        let column = |wanted: &str| {
            let found =
                table.columns().iter().find(|column| column.name().trim().eq_ignore_ascii_case(wanted));
            found.map(|column| column.name().to_owned())
        };
        let refused = |error: elfving_table::TableError| {
            FactorError::new(error.to_string(), "give low and high as numbers")
        };
        let names = table.texts(&column("factor").unwrap_or_default()).map_err(refused)?;
        let low = table.numbers(&column("low").unwrap_or_default()).map_err(refused)?;
        let high = table.numbers(&column("high").unwrap_or_default()).map_err(refused)?;
        let optional = |wanted: &str| -> Result<Vec<Option<f64>>, FactorError> {
            match column(wanted) {
                Some(name) => table.optional_numbers(&name).map_err(refused),
                None => Ok(vec![None; names.len()]),
            }
        };
        let (step, count) = (optional("step")?, optional("levels")?);
        let mut factors = Vec::new();
        for (row, name) in names.iter().enumerate() {
            let name = name.trim();
            let levels = match count[row] {
                None => levels,
                Some(count) if count >= 1.0 && count.fract() == 0.0 => count as usize,
                Some(count) => {
                    let message = format!("{name} has {count} levels");
                    return Err(FactorError::new(message, "give a whole number of levels"));
                }
            };
            factors.push(Self::range(name, low[row], high[row], step[row], levels)?);
        }
        Ok(factors)
    }
}

/// Columns that a table of ranges may have.
const OF_RANGES: [&str; 6] = ["factor", "low", "high", "step", "levels", "unit"];

/// Whether a table lists factors and their ranges, not candidates.
pub(crate) fn is_ranges(table: &Table) -> bool {
    let names = table.columns().iter().map(|column| column.name().trim().to_ascii_lowercase());
    let names: Vec<String> = names.collect();
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    has("factor") && has("low") && has("high") && names.iter().all(|name| OF_RANGES.contains(&name.as_str()))
}

impl Mixture {
    /// `A,B,C:0.05`: the columns, and the step in which their parts of the whole differ.
    ///
    /// # Errors
    /// [`FactorError`] with what to write instead.
    pub fn parse(text: &str) -> Result<Self, FactorError> {
        let example = "write it as A,B,C:0.05, the columns and a step";
        let Some((names, step)) = text.rsplit_once(':') else {
            return Err(FactorError::new(format!("the mixture {text:?} has no step"), example));
        };
        let names: Vec<String> = names.split(',').map(|name| name.trim().to_owned()).collect();
        Self::new(names, number(step.trim()).unwrap_or(f64::NAN))
    }

    /// Columns whose parts of the whole differ in this step.
    ///
    /// # Errors
    /// [`FactorError`] for fewer than two columns, or a step that does not reach 1.
    pub fn new(names: Vec<String>, step: f64) -> Result<Self, FactorError> {
        let example = "write it as A,B,C:0.05, the columns and a step";
        let refuse = |what: &str| {
            Err(FactorError::new(format!("the mixture of {} {what}", names.join(", ")), example))
        };
        if names.len() < 2 || names.iter().any(String::is_empty) {
            return refuse("needs at least two columns");
        }
        if !(step > 0.0 && step <= 1.0) {
            return refuse("needs a step between 0 and 1");
        }
        let steps = (1.0 / step).round();
        if (steps * step - 1.0).abs() > ON_THE_STEP || steps > MOST_LEVELS as f64 {
            return refuse("does not reach 1 in whole steps");
        }
        Ok(Self { names, steps: steps as usize })
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|value| value.is_finite())
}

/// The same without what adding steps rounded.
pub(super) fn clean(value: f64) -> f64 {
    format!("{value:.DIGITS$e}").parse().unwrap_or(value)
}

fn steps(name: &str, low: f64, high: f64, step: f64) -> Result<Levels, FactorError> {
    let count = (high - low) / step;
    if !(step > 0.0 && high > low && count.is_finite()) {
        let message = format!("{name} goes from {low} to {high} in steps of {step}");
        return Err(FactorError::new(message, "give low, high and a step above 0, such as 20:100:20"));
    }
    if count > MOST_LEVELS as f64 {
        let message = format!("{name} has {} levels", count.ceil());
        return Err(FactorError::new(message, format!("give a larger step; at most {MOST_LEVELS} levels")));
    }
    let whole = count.round();
    if (count - whole).abs() > ON_THE_STEP {
        let last = clean(low + count.floor() * step);
        let message =
            format!("{name} does not reach {high} from {low} in steps of {step}: the last level is {last}");
        return Err(FactorError::new(message, format!("write {low}:{last}:{step}, or another step")));
    }
    Ok(Levels::Numbers((0..=whole as usize).map(|i| clean(low + i as f64 * step)).collect()))
}

fn equal_steps(name: &str, low: f64, high: f64, levels: usize) -> Result<Levels, FactorError> {
    if levels < 2 || !(high > low) {
        let message = format!("{name} goes from {low} to {high} in {levels} levels");
        let help = format!("give low, then high, and at least 2 levels ({USUAL_LEVELS} unless you say so)");
        return Err(FactorError::new(message, help));
    }
    if levels > MOST_LEVELS {
        let message = format!("{name} has {levels} levels");
        return Err(FactorError::new(message, format!("at most {MOST_LEVELS} levels")));
    }
    let step = (high - low) / (levels - 1) as f64;
    Ok(Levels::Numbers((0..levels).map(|i| clean(low + i as f64 * step)).collect()))
}
