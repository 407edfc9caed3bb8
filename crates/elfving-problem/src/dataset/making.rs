//! From tables, arrays and kernel matrices to a dataset, and from one dataset to another.

use std::collections::HashSet;
use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, OnceLock};

use elfving::numerics::Matrix;
use elfving::pool::feature_maps::PivotedCholeskyFeatures;
use elfving::pool::{Factorisation, KernelSpec, Lengthscale, Points, PoolError};
use elfving_table::{Code, Encoded, Encoding, Hint, PoolTable, Problem, Problems, Table, TableError};

use super::{About, Dataset, Files, Note, Numbers, formula};
use crate::factors::is_ranges;
use crate::{Model, Names, PoolSpec, ProblemError, Source};

impl Dataset {
    /// Reads the tables of a pool and its targets.
    ///
    /// # Errors
    /// What is wrong with the tables, the columns or the model.
    ///
    /// ```
    /// use elfving_problem::{Dataset, PoolSpec, Source};
    /// let pool = Source::Bytes { name: "pool.csv".into(), bytes: b"id,x\na,0\nb,1\nc,2\n".to_vec() };
    /// let mut spec = PoolSpec::default();
    /// spec.columns = spec.columns.id("id");
    /// let dataset = Dataset::read(&pool, None, spec, 0)?;
    /// assert_eq!(dataset.names().name(2), "c");
    /// assert_eq!(dataset.build(0.0, 1e-6)?.len(), 3);
    /// # Ok::<(), elfving_problem::ProblemError>(())
    /// ```
    pub fn read(
        pool: &Source,
        targets: Option<&Source>,
        spec: PoolSpec,
        seed: u64,
    ) -> Result<Self, ProblemError> {
        let table = spec.read(pool)?;
        let target_table = targets.map(|targets| spec.read_targets(targets)).transpose()?;
        let mut dataset = Self::from_tables(table, target_table, spec, seed)?;
        let files = &mut dataset.about.files;
        (files.pool, files.targets) = (Some(pool.name()), targets.map(Source::name));
        Ok(dataset)
    }

    /// The same from tables that were read already.
    ///
    /// # Errors
    /// What is wrong with the columns or the model.
    pub fn from_tables(
        table: Table,
        targets: Option<Table>,
        mut spec: PoolSpec,
        seed: u64,
    ) -> Result<Self, ProblemError> {
        if is_ranges(&table) {
            return Err(ProblemError::Ranges { file: table.file().to_owned(), factors: table.rows() });
        }
        formula::choose_columns(&mut spec, &table)?;
        let PoolTable { ids, feature_names, features, codes, encoding, warnings, table } =
            PoolTable::from_table(table, &spec.columns)?;
        let id = spec.columns.id.as_deref();
        let encoded = targets.as_ref().map(|targets| choices(targets, id, &encoding)).transpose()?;
        let (choice_names, z) = encoded.unzip();
        let (z, choice_codes) = z.map(|Encoded { features, codes }| (features, codes)).unzip();
        let all = spec.columns.conditions.is_empty();
        let names = if id.is_some() || !all { Names::Named(ids) } else { Names::numbered(ids.len()) };
        let (x, z) = (kept(features)?, z.map(kept).transpose()?);
        let notes = resolve(&mut spec.model, &x, z.as_ref(), seed)?;
        let about = About {
            names,
            choice_names,
            coordinate_names: Some(feature_names),
            spec,
            encoding: Some(encoding),
            codes: (codes, choice_codes),
            files: Files::default(),
        };
        let mut dataset = Self::of_parts(about, Numbers::Coordinates { x, z }, notes)?;
        (dataset.table, dataset.target_table, dataset.warnings) = (Some(table), targets, warnings);
        Ok(dataset)
    }

    /// From numbers without a table.
    ///
    /// # Errors
    /// What is wrong with the numbers, the names or the model.
    pub fn from_arrays(
        x: Matrix,
        z: Option<Matrix>,
        ids: Option<Vec<String>>,
        choice_ids: Option<Vec<String>>,
        coordinate_names: Option<Vec<String>>,
        mut model: Model,
        seed: u64,
    ) -> Result<Self, ProblemError> {
        if let Some(names) = coordinate_names.as_ref().filter(|names| names.len() != x.columns()) {
            return Err(ProblemError::FeatureNames { names: names.len(), features: x.columns() });
        }
        let names = Names::new(ids, x.rows(), "candidates")?;
        let choice_names = z.as_ref().map(|z| Names::new(choice_ids, z.rows(), "targets")).transpose()?;
        let (x, z) = (kept(x)?, z.map(kept).transpose()?);
        let notes = resolve(&mut model, &x, z.as_ref(), seed)?;
        let spec = PoolSpec { model, ..PoolSpec::default() };
        let codes = (Vec::new(), z.as_ref().map(|_| Vec::new()));
        let files = Files::default();
        let about = About { names, choice_names, coordinate_names, spec, encoding: None, codes, files };
        Self::of_parts(about, Numbers::Coordinates { x, z }, notes)
    }

    /// From a kernel matrix: one row and one column for each candidate, then for each target.
    ///
    /// # Errors
    /// [`ProblemError::MatrixSize`], or what is wrong with the names.
    pub fn from_gram(
        gram: Matrix,
        names: Names,
        choice_names: Option<Names>,
        residual: Option<f64>,
    ) -> Result<Self, ProblemError> {
        let spec = PoolSpec { model: Model::Matrix { residual }, ..PoolSpec::default() };
        let (coordinate_names, encoding) = (None, None);
        let codes = (Vec::new(), choice_names.as_ref().map(|_| Vec::new()));
        let files = Files::default();
        let about = About { names, choice_names, coordinate_names, spec, encoding, codes, files };
        Self::of_parts(about, Numbers::Matrix { gram, beside: None }, Vec::new())
    }

    /// A kernel matrix in a file, with a table of its candidates that may hold names only.
    ///
    /// # Errors
    /// What is wrong with the files.
    pub fn read_gram(
        gram: &Source,
        pool: Option<&Source>,
        targets: Option<&Source>,
        mut spec: PoolSpec,
    ) -> Result<Self, ProblemError> {
        if !spec.columns.conditions.is_empty() {
            return Err(ProblemError::NoTable { what: "a condition" });
        }
        let plain = PoolSpec { reading: spec.reading.clone(), ..PoolSpec::default() };
        let matrix = PoolTable::from_table(plain.read(gram)?, &plain.columns)?.features;
        let id = spec.columns.id.clone();
        let target_names = |source: &Source| -> Result<Names, ProblemError> {
            let table = spec.read_targets(source)?;
            not_empty(&table)?;
            Ok(Names::of_table(&table, id.as_deref())?)
        };
        let choice_names = targets.map(target_names).transpose()?;
        let residual = match spec.model {
            Model::Kernel { residual, .. } | Model::Matrix { residual } => residual,
            Model::Unstated | Model::Linear | Model::Polynomial { .. } | Model::Formula { .. } => None,
        };
        spec.model = Model::Matrix { residual };
        let files = Files {
            pool: pool.map(Source::name),
            targets: targets.map(Source::name),
            gram: Some(gram.name()),
        };
        let Some(pool) = pool else {
            let rows = matrix.rows().saturating_sub(choice_names.as_ref().map_or(0, Names::len));
            let mut dataset = Self::from_gram(matrix, Names::numbered(rows), choice_names, residual)?;
            (dataset.about.files, dataset.about.spec) = (files, spec);
            return Ok(dataset);
        };
        let table = spec.read(pool)?;
        let names_only =
            |error: &TableError| error.problems().iter().all(|problem| problem.code == Code::NoFeatures);
        let (about, beside, table, warnings) = match PoolTable::from_table(table.clone(), &spec.columns) {
            Ok(PoolTable { ids, feature_names, features, codes, encoding, warnings, table }) => {
                let names = if id.is_some() { Names::Named(ids) } else { Names::numbered(ids.len()) };
                let (coordinate_names, encoding) = (Some(feature_names), Some(encoding));
                let codes = (codes, None);
                let about = About { names, choice_names, coordinate_names, spec, encoding, codes, files };
                (about, Some(Points::new(features)?), table, warnings)
            }
            Err(error) if names_only(&error) && !error.problems().is_empty() => {
                let names = Names::of_table(&table, id.as_deref())?;
                let (coordinate_names, encoding, codes) = (None, None, (Vec::new(), None));
                let about = About { names, choice_names, coordinate_names, spec, encoding, codes, files };
                (about, None, table, Vec::new())
            }
            Err(error) => return Err(error.into()),
        };
        let mut dataset = Self::of_parts(about, Numbers::Matrix { gram: matrix, beside }, Vec::new())?;
        (dataset.table, dataset.warnings) = (Some(table), warnings);
        Ok(dataset)
    }

    /// From the parts that [`about`](Self::about) and [`numbers`](Self::numbers) gave, in another process.
    ///
    /// # Errors
    /// What is wrong with the numbers.
    pub fn restored(about: About, x: Matrix, z: Option<Matrix>) -> Result<Self, ProblemError> {
        let numbers = match about.spec.model {
            Model::Matrix { .. } => Numbers::Matrix { gram: x, beside: None },
            _ => Numbers::Coordinates { x: kept(x)?, z: z.map(kept).transpose()? },
        };
        Self::of_parts(about, numbers, Vec::new())
    }

    /// Where everything meets: sizes fit, and the kernel fits the columns.
    fn of_parts(about: About, numbers: Numbers, notes: Vec<Note>) -> Result<Self, ProblemError> {
        match &numbers {
            Numbers::Matrix { gram, .. } => {
                let (candidates, targets) =
                    (about.names.len(), about.choice_names.as_ref().map_or(0, Names::len));
                if gram.rows() != gram.columns() || gram.rows() != candidates + targets {
                    let file = about.files.gram.clone().unwrap_or_else(|| "the kernel matrix".to_owned());
                    let (rows, columns) = (gram.rows(), gram.columns());
                    return Err(ProblemError::MatrixSize { file, rows, columns, candidates, targets });
                }
            }
            Numbers::Coordinates { x, z } => {
                if let Some(z) = z.as_ref().filter(|z| z.dimension() != x.dimension()) {
                    let (expected, got) = (x.dimension(), z.dimension());
                    return Err(PoolError::ColumnCount { expected, got }.into());
                }
                if let Some(kernel) = about.spec.model.kernel() {
                    kernel.build()?.check(x.dimension())?;
                }
            }
        }
        formula::bound(&about, &numbers)?;
        Ok(Self {
            about,
            numbers,
            table: None,
            target_table: None,
            rows: None,
            begun_with: None,
            warnings: Vec::new(),
            notes,
            built: Mutex::new(None),
            factorisations: AtomicUsize::new(0),
            index: OnceLock::new(),
        })
    }

    /// The same without these candidates, which are then neither measured nor chosen. Columns keep the scale that all rows gave them.
    ///
    /// # Errors
    /// [`ProblemError::UnknownName`] for one that is not in the pool, [`ProblemError::NothingLeft`].
    pub fn without(self, forbidden: &[String]) -> Result<Self, ProblemError> {
        if forbidden.is_empty() {
            return Ok(self);
        }
        let Self { mut about, numbers, table, target_table, warnings, notes, .. } = self;
        about.names.rows(forbidden, "candidate")?;
        let forbidden: HashSet<&str> = forbidden.iter().map(String::as_str).collect();
        let left = |names: &Names, what: &'static str| -> Result<Vec<usize>, ProblemError> {
            let rows: Vec<usize> =
                (0..names.len()).filter(|&row| !forbidden.contains(&*names.name(row))).collect();
            if rows.is_empty() { Err(ProblemError::NothingLeft { what }) } else { Ok(rows) }
        };
        let rows = left(&about.names, "candidate")?;
        let choice_rows = about.choice_names.as_ref().map(|names| left(names, "target")).transpose()?;
        let numbers = match numbers {
            Numbers::Coordinates { x, z } => Numbers::Coordinates {
                x: Points::new(x.matrix().select_rows(&rows))?,
                z: match (z, &choice_rows) {
                    (Some(z), Some(rows)) => Some(Points::new(z.matrix().select_rows(rows))?),
                    (z, _) => z,
                },
            },
            Numbers::Matrix { gram, beside } => {
                let shift = about.names.len();
                let all: Vec<usize> =
                    rows.iter().copied().chain(choice_rows.iter().flatten().map(|row| row + shift)).collect();
                let gram = Matrix::from_fn(all.len(), all.len(), |i, j| gram[(all[i], all[j])]);
                let beside =
                    beside.map(|points| Points::new(points.matrix().select_rows(&rows))).transpose()?;
                Numbers::Matrix { gram, beside }
            }
        };
        let only = |codes: &mut Vec<Vec<u32>>, rows: &[usize]| {
            for list in codes {
                *list = rows.iter().map(|&row| list[row]).collect();
            }
        };
        only(&mut about.codes.0, &rows);
        about.names = about.names.select(&rows);
        if let Some(rows) = &choice_rows {
            about.codes.1.iter_mut().for_each(|codes| only(codes, rows));
            about.choice_names = about.choice_names.map(|names| names.select(rows));
        }
        let mut dataset = Self::of_parts(about, numbers, notes)?;
        (dataset.table, dataset.target_table, dataset.warnings) = (table, target_table, warnings);
        dataset.rows = Some(rows);
        Ok(dataset)
    }

    /// The same with the rows of another table behind, on the same scale: what was said of the old candidates stays as it was. Category levels
    /// that are new get codes of their own; the conditions of the pool hold for the new rows, too.
    ///
    /// # Errors
    /// [`ProblemError::NoTable`] for a pool that was not a table, and what is wrong with the table, an id that is in the pool already included.
    pub fn extended(self, more: &Table) -> Result<Self, ProblemError> {
        let begun_with = self.begun_with();
        let Self { mut about, numbers, table, target_table, rows, warnings, notes, .. } = self;
        let (Numbers::Coordinates { .. }, Some(encoding), Some(table)) = (numbers, &about.encoding, table)
        else {
            return Err(ProblemError::NoTable { what: "more candidates" });
        };
        let columns = &about.spec.columns;
        let chosen = columns.chosen(more)?;
        let more = chosen.map_or_else(|| more.clone(), |rows| more.select(&rows));
        if more.rows() == 0 {
            let empty = Problem::new(Code::NoRows, more.file(), "the table has no candidates");
            return Err(TableError::from(empty).into());
        }
        let encoding = encoding.with_levels_of(&more, columns.max_levels)?;
        let Encoded { features: old, codes: mut all_codes } = encoding.encode(&table)?;
        let new = encoding.encode(&more)?;
        let known: Vec<usize> = rows.unwrap_or_else(|| (0..table.rows()).collect());
        let ids = Names::of_table(&more, columns.id.as_deref())?;
        if let Some(id) = columns.id.as_deref() {
            are_new(&more, &table, id)?;
        }
        about.names = match (&about.names, columns.id.is_some()) {
            (Names::Numbered(_), _) => Names::numbered(known.len() + more.rows()),
            (names, has_ids) => {
                // Rows that were chosen have their numbers in the file: new ones come behind the largest.
                let numbers = names.text().iter().filter_map(|name| name.parse::<usize>().ok());
                let first = numbers.max().map_or(0, |last| last + 1);
                let behind = (0..more.rows()).map(|row| match has_ids {
                    true => ids.name(row).into_owned(),
                    false => (first + row).to_string(),
                });
                Names::Named(names.text().iter().map(str::to_owned).chain(behind).collect())
            }
        };
        for (codes, new) in all_codes.iter_mut().zip(&new.codes) {
            *codes = known.iter().map(|&row| codes[row]).chain(new.iter().copied()).collect();
        }
        let columns = old.columns();
        let features =
            Matrix::from_fn(known.len() + more.rows(), columns, |i, k| match i.checked_sub(known.len()) {
                None => old[(known[i], k)],
                Some(row) => new.features[(row, k)],
            });
        let id = about.spec.columns.id.as_deref();
        let choices = match (&target_table, &about.choice_names) {
            (Some(targets), Some(kept)) => Some(kept_choices(targets, id, &encoding, kept)?),
            _ => None,
        };
        let (z, choice_codes) = choices.map(|Encoded { features, codes }| (features, codes)).unzip();
        about.codes = (all_codes, choice_codes);
        about.coordinate_names = Some(encoding.feature_names());
        about.encoding = Some(encoding);
        let numbers = Numbers::Coordinates { x: kept(features)?, z: z.map(kept).transpose()? };
        let mut dataset = Self::of_parts(about, numbers, notes)?;
        let first_new = table.rows();
        let rows = known.into_iter().chain(first_new..first_new + more.rows()).collect();
        dataset.table = Some(table.followed_by(&more));
        (dataset.target_table, dataset.warnings) = (target_table, warnings);
        (dataset.rows, dataset.begun_with) = (Some(rows), Some(begun_with));
        Ok(dataset)
    }

    /// The same candidates under another model.
    ///
    /// # Errors
    /// [`ProblemError::NoTable`] for a kernel matrix, or what is wrong with the model.
    pub fn with_model(self, mut model: Model, seed: u64) -> Result<Self, ProblemError> {
        let Numbers::Coordinates { x, z } = &self.numbers else {
            return Err(ProblemError::NoTable { what: "another model" });
        };
        let notes = resolve(&mut model, x, z.as_ref(), seed)?;
        if let Some(kernel) = model.kernel() {
            kernel.build()?.check(x.dimension())?;
        }
        let Self { mut about, numbers, table, target_table, rows, begun_with, warnings, .. } = self;
        about.spec.model = model;
        let mut dataset = Self::of_parts(about, numbers, notes)?;
        (dataset.table, dataset.target_table, dataset.warnings) = (table, target_table, warnings);
        (dataset.rows, dataset.begun_with) = (rows, begun_with);
        Ok(dataset)
    }

    /// The same candidates, to choose among other rows, on the same scale.
    ///
    /// # Errors
    /// [`ProblemError::NoTable`] for a kernel matrix, or what is wrong with the numbers.
    pub fn with_choices(&self, z: Matrix, ids: Option<Vec<String>>) -> Result<Self, ProblemError> {
        let Numbers::Coordinates { x, .. } = &self.numbers else {
            return Err(ProblemError::NoTable { what: "a pool with other choices" });
        };
        let mut about = self.about.clone();
        about.choice_names = Some(Names::new(ids, z.rows(), "targets")?);
        about.codes.1 = Some(about.codes.0.iter().map(|_| Vec::new()).collect());
        Self::of_parts(about, Numbers::Coordinates { x: x.clone(), z: Some(Points::new(z)?) }, Vec::new())
    }

    /// The same candidates, to choose among the rows of a table with the same columns.
    ///
    /// # Errors
    /// [`ProblemError::NoTable`] for a pool that was not a table, or what is wrong with this one.
    pub fn with_target_table(&self, targets: Table) -> Result<Self, ProblemError> {
        let (Numbers::Coordinates { x, .. }, Some(encoding)) = (&self.numbers, &self.about.encoding) else {
            return Err(ProblemError::NoTable { what: "a table of targets" });
        };
        let (names, Encoded { features, codes }) =
            choices(&targets, self.about.spec.columns.id.as_deref(), encoding)?;
        let mut about = self.about.clone();
        about.choice_names = Some(names);
        about.codes.1 = Some(codes);
        let z = Some(Points::new(features)?);
        Self::of_parts(about, Numbers::Coordinates { x: x.clone(), z }, Vec::new())
    }
}

/// The targets that are still there, encoded.
fn kept_choices(
    targets: &Table,
    id: Option<&str>,
    encoding: &Encoding,
    kept: &Names,
) -> Result<Encoded, ProblemError> {
    let Encoded { features, codes } = encoding.encode(targets)?;
    let (all, kept) = (Names::of_table(targets, id)?, kept.text().iter().collect::<HashSet<&str>>());
    let rows: Vec<usize> = (0..all.len()).filter(|&row| kept.contains(&*all.name(row))).collect();
    let of_rows = |codes: &Vec<u32>| rows.iter().map(|&row| codes[row]).collect();
    Ok(Encoded { features: features.select_rows(&rows), codes: codes.iter().map(of_rows).collect() })
}

/// Refuses the ids of new candidates that are taken.
fn are_new(more: &Table, table: &Table, id: &str) -> Result<(), TableError> {
    let taken = table.texts(id)?;
    let taken: HashSet<&str> = taken.iter().map(String::as_str).collect();
    let mut problems = Problems::default();
    for (row, name) in more.texts(id)?.iter().enumerate().filter(|(_, name)| taken.contains(name.as_str())) {
        problems.add(|| {
            Problem::new(Code::DuplicateId, more.file(), format!("{name:?} is a candidate already"))
                .at(more.place(row))
                .column(id)
                .help("give the new candidate an id of its own; more results of an old one belong in `tell`")
        });
    }
    problems.finish()
}

/// Coordinates of which a clone copies nothing: pools look at the same numbers.
fn kept(coordinates: Matrix) -> Result<Points, ProblemError> {
    Ok(Points::new(coordinates.into_shared())?)
}

/// Targets are encoded like the pool; they may do without the column of ids.
fn choices(table: &Table, id: Option<&str>, encoding: &Encoding) -> Result<(Names, Encoded), ProblemError> {
    not_empty(table)?;
    Ok((Names::of_table(table, id)?, encoding.encode(table)?))
}

fn not_empty(table: &Table) -> Result<(), TableError> {
    if table.rows() > 0 {
        return Ok(());
    }
    let empty = Problem::new(Code::NoRows, table.file(), "the table has no targets");
    Err(empty.help(Hint::GiveTargets).into())
}

/// Puts a number in place of every length scale that is left to the points, and of the residual of a smooth class.
fn resolve(
    model: &mut Model,
    points: &Points,
    choices: Option<&Points>,
    seed: u64,
) -> Result<Vec<Note>, ProblemError> {
    let Model::Kernel { of, residual } = model else {
        if *model == Model::Unstated {
            *model = Model::Linear;
        }
        return Ok(Vec::new());
    };
    let asked = of.clone();
    *of = of.resolve(points, seed)?;
    if asked == KernelSpec::Smooth && residual.is_none() {
        *residual = Some(affordable_residual(of, points, choices)?);
    }
    Ok(match (median_of(&asked), lengthscale_of(of)) {
        (true, Some(Lengthscale::Shared(median))) => vec![Note::MedianLengthscale(*median)],
        _ => Vec::new(),
    })
}

/// Most features of a smooth class: a look at 4,362 candidates then takes a second.
const MOST_FEATURES: usize = 600;
/// How far a smooth class is followed where so many features are enough, relative to its largest value: a ten-thousandth of the norm.
const FINE_RESIDUAL: f64 = 1e-10;

/// How far a kernel can be followed by so many features: what they leave out is paid for in every bound.
fn affordable_residual(
    of: &KernelSpec,
    points: &Points,
    choices: Option<&Points>,
) -> Result<f64, ProblemError> {
    let kernel = of.build()?;
    let atoms = match choices {
        Some(choices) => points.clone().followed_by(choices)?,
        None => points.clone(),
    };
    let largest = (0..atoms.len()).map(|i| kernel.diagonal(atoms.matrix().row(i))).fold(0.0, f64::max);
    let settings = Factorisation::default().residual(FINE_RESIDUAL).max_rank(MOST_FEATURES);
    let factorised = PivotedCholeskyFeatures::new(kernel, settings).factorise(&atoms)?;
    let left_out = factorised.max_residual / largest;
    if left_out <= FINE_RESIDUAL {
        return Ok(FINE_RESIDUAL);
    }
    // Two digits, rounded up: the same features then come of it everywhere.
    let unit = 10f64.powf(left_out.log10().floor() - 1.0);
    let up = ((left_out / unit).ceil() + 1.0) * unit;
    Ok(format!("{up:.1e}").parse().unwrap_or(up))
}

/// Whether a plain kernel leaves its length scale to the points.
fn median_of(kernel: &KernelSpec) -> bool {
    !matches!(kernel, KernelSpec::Periodic { .. }) && lengthscale_of(kernel) == Some(&Lengthscale::Median)
}

fn lengthscale_of(kernel: &KernelSpec) -> Option<&Lengthscale> {
    match kernel {
        KernelSpec::Rbf { lengthscale }
        | KernelSpec::Matern12 { lengthscale }
        | KernelSpec::Matern32 { lengthscale }
        | KernelSpec::Matern52 { lengthscale }
        | KernelSpec::RationalQuadratic { lengthscale, .. }
        | KernelSpec::Periodic { lengthscale, .. } => Some(lengthscale),
        _ => None,
    }
}
