//! What is assumed about noise and model: the same options, with the same meaning, in every command.

use std::convert::Infallible;
use std::str::FromStr;

use clap::Args;
use elfving::estimate::{Assumptions, Tails};
use elfving_table::Table;

use crate::error::CliError;
use crate::named::named;

/// The assumptions of a statement.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Assumptions")]
pub(crate) struct AssumptionArgs {
    /// The noise level: a bound on the standard deviation of one measurement. A number, or a column of POOL with one per
    /// candidate
    #[arg(long, value_name = "X|COLUMN", allow_hyphen_values = true)]
    pub(crate) sigma: Option<SigmaArg>,
    /// The tails of the noise
    #[arg(long, value_parser = named::<Tails>())]
    pub(crate) noise: Option<Tails>,
    /// A bound on the mean outcomes, in absolute value
    #[arg(long, value_name = "B", allow_negative_numbers = true)]
    pub(crate) bound: Option<f64>,
    /// A bound on the norm of the true function: of its coefficients, or in the space of the kernel
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) norm: Option<f64>,
    /// How far the true means may be from the model
    #[arg(long, value_name = "H", allow_negative_numbers = true)]
    pub(crate) misspecification: Option<f64>,
    /// The probability that the statement is wrong
    #[arg(long, value_name = "D", default_value_t = 0.05, allow_negative_numbers = true)]
    pub(crate) delta: f64,
}

/// `0.1`, or the name of a column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SigmaArg {
    Number(f64),
    Column(String),
}

impl FromStr for SigmaArg {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text.trim().parse() {
            Ok(number) => Self::Number(number),
            Err(_) => Self::Column(text.to_owned()),
        })
    }
}

impl SigmaArg {
    /// Refuses `auto`, which is a wish for later, before any file is read.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        match self {
            Self::Column(name) if name == "auto" => {
                let message = "--sigma auto is not available yet";
                let help = "give a number or a column; `elfving diagnose POOL --measured FILE` estimates one";
                Err(CliError::usage("E202", message, help))
            }
            _ => Ok(()),
        }
    }

    /// The column, where one was named: it is no feature.
    pub(crate) fn column(&self) -> Option<&str> {
        match self {
            Self::Number(_) => None,
            Self::Column(name) => Some(name),
        }
    }

    /// One number for all candidates: where each has its own, the largest.
    pub(crate) fn largest(&self, table: Option<&Table>) -> Result<f64, CliError> {
        match self {
            Self::Number(sigma) => Ok(*sigma),
            Self::Column(name) => Ok(sigma_column(name, table)?.into_iter().fold(0.0, f64::max)),
        }
    }
}

/// The noise level of each candidate, from a column of the pool.
pub(crate) fn sigma_column(name: &str, table: Option<&Table>) -> Result<Vec<f64>, CliError> {
    let table = table.filter(|table| table.column(name).is_ok()).ok_or_else(|| {
        let message = format!("--sigma: {name:?} is neither a number nor a column of the pool");
        CliError::usage("E203", message, "give a number >= 0, or a column of the pool")
    })?;
    Ok(table.numbers(name)?)
}

impl AssumptionArgs {
    /// Light tails where they are assumed, else only a variance.
    pub(crate) fn tails(&self) -> Tails {
        self.noise.unwrap_or_default()
    }

    /// Refuses numbers outside their domains.
    pub(crate) fn with_sigma(&self, sigma: f64) -> Result<Assumptions, CliError> {
        let values = AssumptionValues {
            sigma,
            bound: self.bound,
            norm: self.norm,
            misspecification: self.misspecification.unwrap_or(0.0),
            tails: self.tails(),
        };
        values.assumptions()
    }
}

/// The assumptions as numbers.
pub(crate) struct AssumptionValues {
    pub(crate) sigma: f64,
    pub(crate) bound: Option<f64>,
    pub(crate) norm: Option<f64>,
    pub(crate) misspecification: f64,
    pub(crate) tails: Tails,
}

impl AssumptionValues {
    /// Refuses numbers outside their domains.
    pub(crate) fn assumptions(&self) -> Result<Assumptions, CliError> {
        let noise = Assumptions::new(self.sigma)?.tails(self.tails);
        Ok(noise.misspecification(self.misspecification)?.bound(self.bound)?.norm(self.norm)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_noise_level_is_a_number_or_a_column_and_auto_is_refused() {
        assert_eq!("0.5".parse(), Ok(SigmaArg::Number(0.5)));
        assert_eq!("sd (mg)".parse(), Ok(SigmaArg::Column("sd (mg)".to_owned())));
        let Ok(auto) = "auto".parse::<SigmaArg>();
        assert!(
            auto.check().unwrap_err().to_string().starts_with("error[E202]: --sigma auto is not available")
        );
    }
}
