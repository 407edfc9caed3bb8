//! A pool as the commands use it: the dataset of the one door, and the pool built from it.

use std::borrow::Cow;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use elfving::numerics::Matrix;
use elfving::pool::Pool;
use elfving_problem::{Dataset, Note};
use elfving_table::{ReadOptions, TextColumn};

use crate::console::Console;
use crate::error::CliError;
use crate::input;
use crate::pool_args::PoolArgs;

/// A pool with the names its user knows.
#[derive(Debug)]
pub(crate) struct LoadedPool {
    pub(crate) pool: Arc<Pool>,
    pub(crate) data: Dataset,
}

impl Deref for LoadedPool {
    type Target = Dataset;

    fn deref(&self) -> &Dataset {
        &self.data
    }
}

/// Reads every file the pool needs; nothing is computed yet, so that the time of the answer does not count the disk.
pub(crate) fn read(args: &PoolArgs, seed: u64, console: Console) -> Result<Dataset, CliError> {
    let spinner = console.spinner("reading");
    let source = |path: &Option<PathBuf>| path.as_deref().map(input::source).transpose();
    let (pool, targets, gram) = (source(&args.pool)?, source(&args.targets)?, source(&args.kernel.gram)?);
    let spec = args.spec()?;
    let data = match (&gram, &pool) {
        (Some(gram), pool) => Dataset::read_gram(gram, pool.as_ref(), targets.as_ref(), spec)?,
        (None, Some(pool)) => Dataset::read(pool, targets.as_ref(), spec, seed)?,
        (None, None) => unreachable!("`settle` asks for a pool"),
    };
    drop(spinner);
    say(&data, console);
    Ok(data)
}

/// What should be known about a table, and what was chosen for the user.
pub(crate) fn say(data: &Dataset, console: Console) {
    console.warnings(data.warnings());
    for note in data.notes() {
        if let Note::MedianLengthscale(median) = note {
            console.note(format!(
                "length scale {} (the median distance between candidates)",
                crate::words::short(*median)
            ));
        }
    }
}

impl LoadedPool {
    /// Reads and builds a pool. `gamma` and `tolerance` say how much of a kernel must be kept.
    pub(crate) fn load(
        args: &PoolArgs,
        gamma: f64,
        tolerance: f64,
        seed: u64,
        console: Console,
    ) -> Result<Self, CliError> {
        Self::build(read(args, seed, console)?, gamma, tolerance, console)
    }

    /// Builds the pool of a dataset.
    pub(crate) fn build(
        data: Dataset,
        gamma: f64,
        tolerance: f64,
        console: Console,
    ) -> Result<Self, CliError> {
        if gamma == 0.0 && data.recorded_model(1.0, tolerance) != *data.model() {
            console.note(format!(
                "gamma = 0 with a kernel: its factorisation leaves out at most {:e} of the largest value; \
                 --residual changes that, a positive --gamma makes the answer independent of it",
                data.model().residual(gamma, tolerance).unwrap_or(0.0)
            ));
        }
        let pool = data.build(gamma, tolerance)?;
        Ok(Self { pool, data })
    }

    /// What the pool is called in messages: the file without its folder.
    pub(crate) fn file_name(&self) -> String {
        let files = &self.about().files;
        files.pool.clone().or_else(|| files.gram.clone()).unwrap_or_else(|| "the pool".to_owned())
    }

    /// The name of each candidate.
    pub(crate) fn ids(&self) -> &TextColumn {
        self.data.names().text()
    }

    /// The user's name of a choice: of a target, or of a candidate where the pool chooses among itself.
    pub(crate) fn choice_name(&self, index: usize) -> &str {
        &self.choices().text()[index]
    }

    /// How results about this pool are read: its decimal mark, and ids as text.
    pub(crate) fn reading(&self) -> ReadOptions {
        let reading = self.spec().reading.clone();
        match self.id_column() {
            Some(id) => reading.text(id),
            None => reading,
        }
    }

    /// Coordinates to draw: the user's, or the features of the kernel where there are none.
    pub(crate) fn coordinates(&self) -> (&Matrix, Cow<'_, [String]>) {
        match (self.data.coordinates(), &self.about().coordinate_names) {
            (Some((points, _)), Some(names)) => (points, Cow::Borrowed(names)),
            _ => {
                let names = (1..=self.pool.dimension()).map(|k| format!("kernel feature {k}")).collect();
                (self.pool.features(), Cow::Owned(names))
            }
        }
    }
}

/// A file without its folder.
pub(crate) fn file_name(path: Option<&Path>) -> String {
    path.map_or_else(|| "the pool".to_owned(), input::name)
}
