//! A saved design and the files it was computed on, together again.

use std::path::{Path, PathBuf};

use clap::Args;
use elfving::design::Criterion;
use elfving::pool::PointId;

use crate::design::DesignDocument;
use crate::error::CliError;
use crate::pool_source::{LoadedPool, PoolFiles};
use crate::talk::Talk;

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

/// Two computations of the same number on two machines agree to this, relative.
const AGREEMENT: f64 = 1e-7;

impl DesignFiles {
    /// The pool as the design file describes it, from the files the user names.
    pub(crate) fn rebuild(&self, document: &DesignDocument, talk: Talk) -> Result<LoadedPool, CliError> {
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
        let mut pool = document.options.pool.clone();
        pool.pool = self.pool.clone().or_else(|| self.pool_option.clone());
        pool.targets.clone_from(&self.targets);
        pool.kernel.gram.clone_from(&self.gram);
        pool.kernel.check()?;
        let loaded = PoolFiles::read(pool, talk)?.build(
            document.gamma.get(),
            document.tolerance,
            0,
            Talk::new(true),
        )?;
        if loaded.pool.len() != document.n {
            let message = format!(
                "{} has {} candidates, the design was computed on {}",
                loaded.file_name(),
                loaded.pool.len(),
                document.n
            );
            return Err(CliError::data("E355", message, "give the pool of the design"));
        }
        Ok(loaded)
    }
}

/// The weights of the file on the candidates of the pool.
pub(crate) fn weights(
    design: &Path,
    document: &DesignDocument,
    loaded: &LoadedPool,
) -> Result<Vec<(PointId, f64)>, CliError> {
    let rows = loaded.rows_by_id();
    let mut seen = std::collections::HashSet::new();
    let mut weights = Vec::with_capacity(document.support.len());
    for share in &document.support {
        let refuse = |what: &str| {
            let message = format!("{}: candidate {:?} {what}", design.display(), share.id);
            CliError::data("E355", message, "give the design and the pool that belong together")
        };
        let row = rows.get(share.id.as_str()).ok_or_else(|| refuse("is not in the pool"))?;
        if !seen.insert(row) {
            return Err(refuse("has two weights"));
        }
        weights.push((PointId::new(*row), share.weight));
    }
    Ok(weights)
}

/// Equal up to rounding; a log determinant is a sum over the dimensions and may be near zero.
pub(crate) fn close(a: f64, b: f64, criterion: Criterion, dimension: usize) -> bool {
    let least = if criterion.is_maximised() { dimension as f64 } else { 0.0 };
    (a - b).abs() <= AGREEMENT * a.abs().max(b.abs()).max(least)
}
