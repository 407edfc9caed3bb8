//! From files to a pool: read first, then compute, so that the time of the answer does not count the disk.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use elfving::numerics::Matrix;
use elfving::pool::feature_maps::{FeatureMap, PolynomialExpansion};
use elfving::pool::{Factorisation, KernelSpec, Points, Pool};
use elfving::surrogate::Space;
use elfving_table::{
    Code, Encoding, PoolOptions, PoolTable, Problem, Table, TableError, TextColumn, read, read_pool,
};

use crate::error::CliError;
use crate::kernel_args::KernelName;
use crate::pool_args::{ColumnArgs, PoolArgs};
use crate::talk::Talk;

/// The files of a pool, read and checked; nothing is computed yet.
#[derive(Debug)]
pub(crate) struct PoolFiles {
    args: PoolArgs,
    candidates: Candidates,
    targets: Option<TargetTable>,
    gram: Option<Matrix>,
    /// How the columns became features; none with a kernel matrix.
    encoding: Option<Encoding>,
}

/// What the pool file gives.
#[derive(Debug)]
struct Candidates {
    ids: TextColumn,
    /// n × d, and the name of each column; no columns where only names and a kernel matrix are given.
    features: Matrix,
    names: Vec<String>,
    /// The user's own table, and its columns that are features.
    table: Option<(Table, Vec<String>)>,
}

#[derive(Debug)]
struct TargetTable {
    ids: TextColumn,
    features: Matrix,
}

/// A pool with the names its user knows.
#[derive(Debug)]
pub(crate) struct LoadedPool {
    pub(crate) pool: Pool,
    /// The name of each candidate.
    pub(crate) ids: TextColumn,
    /// The names of the features of the pool (of the coordinates, under a kernel).
    pub(crate) feature_names: Vec<String>,
    /// The kernel with all its parameters; none for features as they are and for a kernel matrix.
    pub(crate) kernel: Option<KernelSpec>,
    /// How to build the pool again.
    pub(crate) args: PoolArgs,
    target_ids: Option<TextColumn>,
    table: Option<(Table, Vec<String>)>,
    /// Raw coordinates, where they are not the features of the pool.
    coordinates: Option<(Matrix, Vec<String>)>,
}

impl PoolFiles {
    /// Reads every file the pool needs.
    pub(crate) fn read(args: PoolArgs, talk: Talk) -> Result<Self, CliError> {
        let spinner = talk.spinner("reading");
        let gram = args.kernel.gram.as_deref().map(|path| read_gram(path, &args.columns)).transpose()?;
        // The encoding belongs to the pool: levels, means and deviations. Targets are read with it.
        let (candidates, encoding) = match (&args.pool, &gram) {
            (None, Some(gram)) => (Candidates::numbered(gram.rows()), None),
            (None, None) => unreachable!("`settle` asks for a pool"),
            (Some(path), Some(_)) => (Candidates::read_with_gram(path, &args.columns, talk)?, None),
            (Some(path), None) => {
                let (candidates, encoding) = Candidates::read(path, &args.columns, talk)?;
                (candidates, Some(encoding))
            }
        };
        let read_targets = |path: &PathBuf| TargetTable::read(path, &args.columns, encoding.as_ref());
        let targets = args.targets.as_ref().map(read_targets).transpose()?;
        drop(spinner);
        if let Some(gram) = &gram {
            check_gram(gram, &candidates, targets.as_ref(), &args)?;
        }
        Ok(Self { args, candidates, targets, gram, encoding })
    }

    /// The candidates by their columns, for the Gaussian process of the calibrated mode; none with a kernel matrix.
    pub(crate) fn space(&self) -> Result<Option<Space>, CliError> {
        let Some(encoding) = &self.encoding else { return Ok(None) };
        let columns = |features| encoding.surrogate_columns(features);
        let choices = self.targets.as_ref().map(|targets| columns(&targets.features));
        let space = Space::new(&columns(&self.candidates.features), choices.as_ref());
        space
            .map(Some)
            .map_err(|error| CliError::data("E354", error.to_string(), "look at the columns of the pool"))
    }

    /// Builds the pool. `gamma` and `tolerance` say how much of a kernel must be kept.
    pub(crate) fn build(
        self,
        gamma: f64,
        tolerance: f64,
        seed: u64,
        talk: Talk,
    ) -> Result<LoadedPool, CliError> {
        let Self { mut args, candidates, targets, gram, .. } = self;
        let Candidates { ids, features, names, table } = candidates;
        let (target_ids, z) = targets.map(|targets| (targets.ids, targets.features)).unzip();
        let (pool, feature_names, kernel, coordinates) = if let Some(gram) = gram {
            let settings = factorisation(&mut args, gamma, tolerance, talk);
            let pool = Pool::from_gram(gram, features.rows(), &settings)?;
            (pool, Vec::new(), None, (features.columns() > 0).then_some((features, names)))
        } else if let Some(degree) = args.model.polynomial_model {
            let model =
                PolynomialExpansion::default().degree(degree).interactions_only(args.model.interactions_only);
            let points = Points::new(features)?;
            let z = z.map(|z| model.map(&Points::new(z)?)).transpose()?;
            let pool = explicit(model.map(&points)?, z)?;
            let feature_names = model.names(&names)?;
            (pool, feature_names, None, Some((points.matrix().clone(), names)))
        } else if args.kernel.is_linear() {
            (explicit(features, z)?, names, None, None)
        } else {
            let points = Points::new(features)?;
            let spec = args.kernel.resolve(&points, seed, talk)?;
            let settings = factorisation(&mut args, gamma, tolerance, talk);
            let coordinates = (points.matrix().clone(), names.clone());
            let pool = Pool::from_kernel(spec.build()?, points, z.map(Points::new).transpose()?, &settings)?;
            (pool, names, Some(spec), Some(coordinates))
        };
        Ok(LoadedPool { pool, ids, feature_names, kernel, args, target_ids, table, coordinates })
    }
}

fn explicit(x: Matrix, z: Option<Matrix>) -> Result<Pool, CliError> {
    Ok(match z {
        Some(z) => Pool::from_features_with_choices(x, z)?,
        None => Pool::from_features(x)?,
    })
}

/// How far a kernel is factorised: as the user says, or as far as the design needs.
fn factorisation(args: &mut PoolArgs, gamma: f64, tolerance: f64, talk: Talk) -> Factorisation {
    let from_file = args.kernel.gram.is_some();
    let settings = match args.kernel.residual {
        Some(residual) => Factorisation::default().residual(residual),
        None => Factorisation::for_design(gamma, tolerance, from_file),
    };
    if gamma == 0.0 && args.kernel.residual.is_none() {
        talk.note(format!(
            "gamma = 0 with a kernel: its factorisation leaves out at most {:e} of the largest value; \
             --residual changes that, a positive --gamma makes the answer independent of it",
            settings.residual
        ));
    }
    args.kernel.residual = Some(settings.residual);
    settings
}

impl Candidates {
    fn read(path: &Path, columns: &ColumnArgs, talk: Talk) -> Result<(Self, Encoding), CliError> {
        let PoolTable { ids, feature_names, features, encoding, warnings, table } =
            read_pool(path, &columns.reading(), &columns.options()?)?;
        talk.warnings(&warnings);
        let used = encoding.columns().iter().map(|column| column.column.clone()).collect();
        Ok((Self { ids, features, names: feature_names, table: Some((table, used)) }, encoding))
    }

    /// With a kernel matrix the table may hold names only.
    fn read_with_gram(path: &Path, columns: &ColumnArgs, talk: Talk) -> Result<Self, CliError> {
        match Self::read(path, columns, talk) {
            Ok((candidates, _)) => Ok(candidates),
            Err(CliError::Table(error)) if error.problems().iter().all(|p| p.code == Code::NoFeatures) => {
                let table = read(path, &columns.reading())?;
                let ids = names(&table, columns.id.as_deref())?;
                let features = Matrix::zeros(ids.len(), 0);
                Ok(Self { ids, features, names: Vec::new(), table: Some((table, Vec::new())) })
            }
            Err(error) => Err(error),
        }
    }

    fn numbered(count: usize) -> Self {
        let ids = TextColumn::row_numbers(count);
        Self { ids, features: Matrix::zeros(count, 0), names: Vec::new(), table: None }
    }
}

impl TargetTable {
    /// Without an encoding (a kernel matrix holds everything else) only the names are read.
    fn read(path: &Path, columns: &ColumnArgs, encoding: Option<&Encoding>) -> Result<Self, CliError> {
        let table = read(path, &columns.reading())?;
        if table.rows() == 0 {
            let empty = Problem::new(Code::NoRows, table.file(), "the table has no targets");
            let empty: TableError = empty.help("give at least one row, or leave out --targets").into();
            return Err(empty.into());
        }
        // Targets may do without the column of ids.
        let ids = names(&table, columns.id.as_deref().filter(|id| table.column(id).is_ok()))?;
        let features = match encoding {
            Some(encoding) => encoding.features(&table)?,
            None => Matrix::zeros(ids.len(), 0),
        };
        Ok(Self { ids, features })
    }
}

/// The column of ids, all different; else the row numbers.
fn names(table: &Table, id: Option<&str>) -> Result<TextColumn, TableError> {
    let Some(id) = id else { return Ok(TextColumn::row_numbers(table.rows())) };
    let ids: TextColumn = table.texts(id)?.into_iter().collect();
    let mut first_row: HashMap<&str, usize> = HashMap::new();
    for (row, name) in ids.iter().enumerate() {
        if first_row.insert(name, row).is_some() {
            let twice = Problem::new(Code::DuplicateId, table.file(), format!("{name:?} names two rows"));
            return Err(twice.at(table.place(row)).column(id).help("give each row its own id").into());
        }
    }
    Ok(ids)
}

/// A square table of numbers.
fn read_gram(path: &Path, columns: &ColumnArgs) -> Result<Matrix, CliError> {
    let reading = ColumnArgs { id: None, ..columns.clone() }.reading();
    Ok(read_pool(path, &reading, &PoolOptions::default())?.features)
}

fn check_gram(
    gram: &Matrix,
    candidates: &Candidates,
    targets: Option<&TargetTable>,
    args: &PoolArgs,
) -> Result<(), CliError> {
    let rows = candidates.ids.len() + targets.map_or(0, |targets| targets.ids.len());
    let fits = gram.columns() == gram.rows() && gram.rows() == rows;
    if fits {
        return Ok(());
    }
    let file =
        args.kernel.gram.as_deref().map_or(Cow::Borrowed("the kernel matrix"), |path| path.to_string_lossy());
    let message = format!(
        "{file}: the kernel matrix is {} x {}, but there are {} candidates and {} targets",
        gram.rows(),
        gram.columns(),
        candidates.ids.len(),
        rows - candidates.ids.len()
    );
    Err(CliError::data("E353", message, "it needs one row and one column per candidate, then per target"))
}

impl LoadedPool {
    /// What the pool is called in messages: the file without its folder.
    pub(crate) fn file_name(&self) -> String {
        file_name(self.args.pool.as_deref().or(self.args.kernel.gram.as_deref()))
    }

    /// The user's name of a choice: of a target, or of a candidate where the pool chooses among itself.
    pub(crate) fn choice_name(&self, index: usize) -> &str {
        match &self.target_ids {
            Some(ids) => &ids[index],
            None => &self.ids[index],
        }
    }

    /// The row of each candidate by name.
    pub(crate) fn rows_by_id(&self) -> HashMap<&str, usize> {
        self.ids.iter().enumerate().map(|(row, id)| (id, row)).collect()
    }

    /// The user's own table, if there is one.
    pub(crate) fn table(&self) -> Option<&Table> {
        self.table.as_ref().map(|(table, _)| table)
    }

    /// The columns of the user's table that are features.
    pub(crate) fn feature_columns(&self) -> &[String] {
        self.table.as_ref().map_or(&[], |(_, columns)| columns)
    }

    /// Coordinates to draw: the user's, or the features of the kernel where there are none.
    pub(crate) fn coordinates(&self) -> (&Matrix, Cow<'_, [String]>) {
        match &self.coordinates {
            Some((points, names)) => (points, Cow::Borrowed(names)),
            None if self.feature_names.len() == self.pool.dimension() => {
                (self.pool.features(), Cow::Borrowed(&self.feature_names))
            }
            None => {
                let names = (1..=self.pool.dimension()).map(|k| format!("kernel feature {k}")).collect();
                (self.pool.features(), Cow::Owned(names))
            }
        }
    }

    /// `RBF, lengthscale 0.025`, or how the features came about.
    pub(crate) fn model(&self) -> String {
        match (&self.kernel, self.args.kernel.name(), self.args.model.polynomial_model) {
            (Some(spec), ..) => format!("kernel {spec}"),
            (None, KernelName::Gram, _) => "kernel matrix".to_owned(),
            (None, _, Some(degree)) if self.args.model.interactions_only => {
                format!("interactions up to degree {degree}")
            }
            (None, _, Some(degree)) => format!("polynomial model of degree {degree}"),
            (None, _, None) => "linear model".to_owned(),
        }
    }
}

/// A file without its folder.
pub(crate) fn file_name(path: Option<&Path>) -> String {
    path.and_then(Path::file_name)
        .map_or_else(|| "the pool".to_owned(), |name| name.to_string_lossy().into_owned())
}
