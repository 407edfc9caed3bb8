//! A saved design and the files it was computed on, together again.

use std::path::{Path, PathBuf};

use clap::Args;
use elfving::units::ErrorKind;
use elfving_problem::documents::{DesignDocument, PlanDocument};
use elfving_problem::{Dataset, ProblemError};

use crate::console::Console;
use crate::error::CliError;
use crate::input;
use crate::pool_source::LoadedPool;

/// The files of a design, which the user names again.
#[derive(Debug, Clone, Args)]
pub(crate) struct DesignFiles {
    /// The pool of the design
    #[arg(value_name = "POOL", required_unless_present_any = ["pool_option", "gram"])]
    pool: Option<PathBuf>,
    /// The same as POOL
    #[arg(long = "pool", value_name = "POOL", conflicts_with = "pool")]
    pool_option: Option<PathBuf>,
    /// The table of targets, if the design had one
    #[arg(long, value_name = "FILE")]
    targets: Option<PathBuf>,
    /// The kernel matrix, if the design had one
    #[arg(long, value_name = "FILE")]
    gram: Option<PathBuf>,
}

impl DesignFiles {
    /// The pool as the design file describes it, from the files the user names.
    pub(crate) fn rebuild(
        &self,
        document: &DesignDocument,
        console: Console,
    ) -> Result<LoadedPool, CliError> {
        for (given, stated, option) in
            [(&self.targets, &document.targets, "--targets"), (&self.gram, &document.gram, "--gram")]
        {
            match (given, stated) {
                (None, Some(file)) => {
                    let message = format!("the design was computed with {option} {file}");
                    return Err(CliError::usage(
                        "E202",
                        message,
                        format!("give the file again with {option}"),
                    ));
                }
                (Some(_), None) => {
                    let message = format!("the design was computed without {option}");
                    return Err(CliError::usage("E202", message, "leave it out"));
                }
                _ => {}
            }
        }
        let source = |path: &Option<PathBuf>| path.as_deref().map(input::source).transpose();
        let (pool, targets) = (source(&self.pool)?.or(source(&self.pool_option)?), source(&self.targets)?);
        let spec = document.options.pool.clone();
        let data = match (source(&self.gram)?, pool) {
            (Some(gram), pool) => Dataset::read_gram(&gram, pool.as_ref(), targets.as_ref(), spec)?,
            (None, Some(pool)) => Dataset::read(&pool, targets.as_ref(), spec, 0)?,
            (None, None) => unreachable!("the parser asks for a pool or a kernel matrix"),
        };
        console.warnings(data.warnings());
        document.check_size(&data)?;
        LoadedPool::build(data, document.gamma.get(), document.tolerance, Console::new(true))
    }
}

/// Reads a design file.
pub(crate) fn read_design(path: &Path) -> Result<DesignDocument, CliError> {
    let bytes =
        std::fs::read(path).map_err(|error| cannot_read(path, &error, "give a file written with --out"))?;
    DesignDocument::parse(&bytes).map_err(|error| of_file(path, error))
}

/// Reads a plan file.
pub(crate) fn read_plan(path: &Path) -> Result<PlanDocument, CliError> {
    let help = "give a file written by elfving round --out plan.json";
    let bytes = std::fs::read(path).map_err(|error| cannot_read(path, &error, help))?;
    PlanDocument::parse(&bytes).map_err(|error| of_file(path, error))
}

fn cannot_read(path: &Path, error: &std::io::Error, help: &str) -> CliError {
    CliError::data("E351", format!("{}: cannot be read: {error}", path.display()), help)
}

/// An error of a document with the file it is about.
pub(crate) fn of_file(path: &Path, error: ProblemError) -> CliError {
    let shown = path.display();
    match CliError::from(error) {
        CliError::Refused { kind: kind @ (ErrorKind::Data | ErrorKind::Newer), code, message, help } => {
            CliError::refused(kind, code, format!("{shown}: {message}"), help)
        }
        other => other,
    }
}
