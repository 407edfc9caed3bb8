//! How a pool is described on the command line.

use std::path::PathBuf;

use clap::Args;
use elfving::pool::KernelSpec;
use elfving::text::TextError;
use elfving_problem::{Model, PoolSpec, ProblemError};
use elfving_table::{Condition, Decimal, LogBase, Marker, OneHot, PoolOptions, ReadOptions, TableError};

use crate::error::CliError;
use crate::kernel_args::KernelArgs;

/// The pool: files, columns, model and kernel.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct PoolArgs {
    /// The candidates: a .csv or .xlsx with a header, .npy, .npz or .parquet, one row per candidate
    #[arg(value_name = "POOL", required_unless_present_any = ["pool_option", "gram"])]
    pub(crate) pool: Option<PathBuf>,
    /// The same as POOL
    #[arg(long = "pool", value_name = "POOL", conflicts_with = "pool", help_heading = "Pool")]
    pub(crate) pool_option: Option<PathBuf>,
    /// The targets: a table with the same columns, of which the means (g, v, c) or differences (xy) are wanted;
    /// without it, the pool itself
    #[arg(long, value_name = "FILE", help_heading = "Pool")]
    pub(crate) targets: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) columns: ColumnArgs,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) kernel: KernelArgs,
}

/// Which columns of the table are what.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Pool")]
pub(crate) struct ColumnArgs {
    /// The column that names the candidates (default: the row number, from 0)
    #[arg(long, value_name = "COLUMN")]
    pub(crate) id: Option<String>,
    /// The feature columns (default: every numeric column but the id, the outcome and those of --ignore)
    #[arg(long, value_name = "A,B,..", value_delimiter = ',')]
    pub(crate) features: Option<Vec<String>>,
    /// The outcome column; it is no feature
    #[arg(long, value_name = "COLUMN", action = clap::ArgAction::Set, num_args = 1)]
    pub(crate) outcome: Vec<String>,
    /// Columns to leave out: neither features nor outcomes
    #[arg(long, value_name = "COLUMN,..", value_delimiter = ',')]
    pub(crate) ignore: Vec<String>,
    /// Take only the candidates that meet a condition, such as "dose <= 3 and ligand in ('XPhos', 'SPhos')"; repeat it for
    /// several, which must all hold
    #[arg(long = "where", value_name = "CONDITION", id = "where")]
    pub(crate) conditions: Vec<String>,
    /// Encode text columns as categories: all of them, or with an equals sign those named (--one-hot=A,B)
    #[arg(long, value_name = "A,B,..", value_delimiter = ',', num_args = 0..=1, require_equals = true)]
    pub(crate) one_hot: Option<Vec<String>>,
    /// These columns are categories, numbers too (campaigns of the calibrated mode find text categories by themselves)
    #[arg(long, value_name = "A,B,..", value_delimiter = ',')]
    pub(crate) categorical: Vec<String>,
    /// Columns on a log scale; COLUMN=2 and COLUMN=e choose the base (default: 10)
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    pub(crate) log: Vec<String>,
    /// Scale every numeric column to mean 0 and standard deviation 1
    #[arg(long)]
    pub(crate) standardize: bool,
    /// What a text means in place of a number, such as "n.d.=0"; in outcomes TEXT=failed marks a failed run
    #[arg(long, value_name = "TEXT=MEANING")]
    pub(crate) marker: Vec<String>,
    /// The decimal mark of the file: . or ,
    #[arg(long, value_name = "MARK", value_parser = [".", ","])]
    pub(crate) decimal: Option<String>,
    /// The sheet of an .xlsx file to read (default: the first)
    #[arg(long, value_name = "NAME")]
    pub(crate) sheet: Option<String>,
    /// The array of an .npz file to read
    #[arg(long, value_name = "NAME")]
    pub(crate) array: Option<String>,
}

/// The model of a designed experiment.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Model")]
pub(crate) struct ModelArgs {
    /// A formula as in R, such as "~ temp + I(temp^2) + base*time"; text columns in it are categories (see docs/formulas.md)
    #[arg(long = "model", value_name = "FORMULA", id = "formula")]
    pub(crate) formula: Option<String>,
    /// Expand the features to all products up to this degree, with an intercept: 1 for main effects, 2 also for
    /// squares and two-factor interactions
    #[arg(long, value_name = "DEGREE")]
    pub(crate) polynomial_model: Option<usize>,
    /// With --polynomial-model: products of different features only, no squares or higher powers
    #[arg(long, requires = "polynomial_model")]
    pub(crate) interactions_only: bool,
}

impl ModelArgs {
    /// The model, beside the options of a kernel.
    pub(crate) fn model(
        &self,
        kernel: Option<KernelSpec>,
        residual: Option<f64>,
    ) -> Result<Model, ProblemError> {
        let Self { formula, polynomial_model, interactions_only } = self;
        Model::of_options(kernel, residual, *polynomial_model, *interactions_only, formula.as_deref())
    }
}

impl PoolArgs {
    /// Checks what the parser cannot, and puts the pool in its one place.
    pub(crate) fn settle(mut self) -> Result<Self, CliError> {
        self.pool = self.pool.or_else(|| self.pool_option.take());
        self.kernel.check()?;
        Ok(self)
    }

    /// What the options say of the pool, files left out.
    pub(crate) fn spec(&self) -> Result<PoolSpec, CliError> {
        let kernel = &self.kernel;
        Ok(PoolSpec {
            reading: self.columns.reading(),
            columns: self.columns.options()?,
            model: self.model.model(kernel.spec(), kernel.residual)?,
            outcome: self.columns.outcome.first().cloned(),
        })
    }
}

impl ColumnArgs {
    /// How the files are read; a pool and its targets are read alike.
    pub(crate) fn reading(&self) -> ReadOptions {
        let mut options = ReadOptions::default();
        if self.decimal.as_deref() == Some(",") {
            options = options.decimal(Decimal::Comma);
        }
        if let Some(sheet) = &self.sheet {
            options = options.sheet(sheet);
        }
        if let Some(array) = &self.array {
            options = options.array(array);
        }
        options
    }

    /// Which columns become features, and how.
    pub(crate) fn options(&self) -> Result<PoolOptions, CliError> {
        let mut options =
            PoolOptions { id: self.id.clone(), features: self.features.clone(), ..Default::default() };
        options.exclude = self.outcome.iter().chain(&self.ignore).cloned().collect();
        options.one_hot = match self.one_hot.as_deref() {
            None => OneHot::Nothing,
            Some([]) => OneHot::AllText,
            Some(columns) => OneHot::Columns(columns.to_vec()),
        };
        options.categorical.clone_from(&self.categorical);
        options.log_scale = self.log.iter().map(|column| log_scale(column)).collect();
        options.standardize = self.standardize;
        options.conditions = conditions("--where", &self.conditions)?;
        let marker = |text: &String| {
            let refused =
                |message| CliError::usage("E201", format!("--marker {text:?}: {message}"), MARKER_HELP);
            text.parse::<Marker>().map_err(refused)
        };
        // A failed run is an outcome; features know numbers only.
        let of_features = self.marker.iter().filter(|text| !text.trim_end().ends_with("=failed"));
        options.markers = of_features.map(marker).collect::<Result<_, _>>()?;
        Ok(options)
    }
}

/// The conditions of an option.
pub(crate) fn conditions(option: &str, texts: &[String]) -> Result<Vec<Condition>, CliError> {
    let refused = |error: TextError| {
        let error = TextError { message: format!("{option}: {}", error.message), ..error };
        CliError::from(TableError::from(error))
    };
    texts.iter().map(|text| Condition::parse(text).map_err(refused)).collect()
}

pub(crate) const MARKER_HELP: &str =
    "for example --marker \"n.d.=0\", or in outcomes --marker \"n.d.=failed\"";

/// `column`, `column=2`, `column=e` or `column=10`.
fn log_scale(column: &str) -> (String, LogBase) {
    let base = |name: &str| match name {
        "2" => Some(LogBase::Two),
        "e" => Some(LogBase::E),
        "10" => Some(LogBase::Ten),
        _ => None,
    };
    match column.rsplit_once('=').and_then(|(name, text)| Some((name, base(text)?))) {
        Some((name, base)) => (name.to_owned(), base),
        None => (column.to_owned(), LogBase::Ten),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_of_a_log_scale_follows_the_column() {
        assert_eq!(log_scale("block size=2"), ("block size".to_owned(), LogBase::Two));
        assert_eq!(log_scale("dose"), ("dose".to_owned(), LogBase::Ten));
        // A column may have such a name.
        assert_eq!(log_scale("a=b"), ("a=b".to_owned(), LogBase::Ten));
    }
}
