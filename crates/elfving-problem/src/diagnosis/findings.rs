//! Everything there is to find, in the order in which it is chosen.

use elfving::estimate::Tails;
use elfving::pool::feature_maps::standardise;
use elfving::pool::{Factorisation, KernelSpec, Lengthscale, PointId, Points, Pool, median_lengthscale};
use elfving::units::{Ridge, Tolerance};
use elfving_lab::complexity::effective_dimension;

use super::columns::Columns;
use super::{Finding, Measured, Suggestion, columns, likelihood};
use crate::defaults::KERNEL_RIDGE;
use crate::words::{counted, short};
use crate::{Dataset, ProblemError};

/// Pools of more candidates than this get no effective dimension: a factorisation of rank n is cubic.
const MOST_FOR_DIMENSION: usize = 2000;
/// Noise of a kurtosis above this does not look sub-Gaussian.
const HEAVY: f64 = 5.0;
/// Results of fewer candidates than this are not fitted.
const FEWEST_FOR_FIT: usize = 8;

pub(super) fn all(
    dataset: &Dataset,
    pool: &Pool,
    results: Option<&Measured>,
    seed: u64,
) -> Result<Vec<Finding>, ProblemError> {
    // The user's coordinates, or the features of a kernel matrix where there are none.
    let points = dataset.coordinates().map_or(pool.features(), |(points, _)| points);
    let unnamed = || (1..=points.columns()).map(|k| format!("feature {k}")).collect();
    let names = dataset.about().coordinate_names.clone().unwrap_or_else(unnamed);
    let Columns { findings: mut found, coordinates, standardize, waiting } =
        columns::findings(dataset, points, &names);
    duplicates(dataset, pool, &mut found);
    let coordinates = if standardize { standardise(&coordinates)?.0 } else { coordinates };
    let points = Points::new(coordinates)?;
    let median = median_lengthscale(&points, seed).unwrap_or(1.0);
    let mut kernel = KernelSpec::Matern52 { lengthscale: Lengthscale::Shared(median) };
    let mut ridge = KERNEL_RIDGE;
    let with = match (waiting, standardize) {
        (true, _) => ", without the text columns: diagnose again after encoding",
        (false, true) => ", columns standardized",
        (false, false) => "",
    };
    match results.filter(|results| results.candidates() >= FEWEST_FOR_FIT) {
        None => {
            let text = format!("the median distance between candidates is {}{with}", short(median));
            found.push(Finding::new("kernel", text).suggesting(suggested(&kernel)));
        }
        Some(results) => {
            let rows = results.rows();
            let fits = likelihood::fits(&points.matrix().select_rows(&rows), &results.means(), median)?;
            if let Some(best) = fits.first() {
                kernel = best.kernel.clone();
                ridge = (best.noise / best.signal).powi(2) / results.candidates() as f64;
                ridge = ridge.clamp(1e-8, 1.0);
                let others: Vec<String> = fits[1..]
                    .iter()
                    .map(|fit| format!("{} {}", fit.name, short(fit.log_likelihood - best.log_likelihood)))
                    .collect();
                let text = format!(
                    "most likely for {} measured candidates{with}; log likelihood of the others, relative: {}",
                    rows.len(),
                    others.join(", ")
                );
                found.push(Finding::new("kernel", text).suggesting(suggested(&kernel)));
                let text = format!("the fitted mean has norm {}; the bound must be larger", short(best.norm));
                let norm = Suggestion::Norm { value: up(1.5 * best.norm) };
                found.push(Finding::new("norm", text).suggesting(norm));
            }
            noise(results, fits.first(), &mut found);
        }
    }
    if let Some(results) = results {
        let largest = results.means().iter().fold(0.0f64, |largest, mean| largest.max(mean.abs()));
        let text = format!("the largest mean outcome is {}; the best may be larger", short(largest));
        let bound = Suggestion::Bound { value: up(1.2 * largest) };
        found.push(Finding::new("bound", text).suggesting(bound));
    }
    let why = if results.is_some() {
        "noise variance over signal variance, per measured candidate"
    } else {
        "a first choice"
    };
    let suggested = Suggestion::Gamma { value: digits(ridge, 0) };
    found.push(Finding::new("ridge", why).suggesting(suggested));
    dimension(points, &kernel, ridge, &mut found)?;
    Ok(found)
}

fn duplicates(dataset: &Dataset, pool: &Pool, found: &mut Vec<Finding>) {
    let groups = pool.duplicates();
    let name = |id: PointId| dataset.names().name(id.index());
    let text = match groups.first() {
        None => "no two candidates have the same features".to_owned(),
        Some(first) => format!(
            "{} of candidates with equal features, such as {:?} and {:?}: they cannot be separated",
            counted(groups.len(), "group"),
            name(first[0]),
            name(first[1])
        ),
    };
    found.push(Finding::new("duplicates", text));
}

fn noise(results: &Measured, fit: Option<&likelihood::Fit>, found: &mut Vec<Finding>) {
    match (results.repeat_deviation(), fit) {
        (Some((sigma, degrees)), _) => {
            let text =
                format!("standard deviation {} within repeats, {degrees} degrees of freedom", short(sigma));
            found.push(Finding::new("noise", text).suggesting(Suggestion::Sigma { value: up(sigma) }));
        }
        (None, Some(fit)) => {
            let text = format!(
                "standard deviation {} from the fit; repeats give a better estimate",
                short(fit.noise)
            );
            found.push(Finding::new("noise", text).suggesting(Suggestion::Sigma { value: up(fit.noise) }));
        }
        (None, None) => {}
    }
    if let Some(kurtosis) = results.kurtosis() {
        let text = format!("kurtosis {} within repeats (3 for normal noise)", short(kurtosis));
        let (text, tails) = match kurtosis <= HEAVY {
            true => (text, Tails::SubGaussian),
            false => (format!("{text}: heavy tails"), Tails::BoundedVariance),
        };
        found.push(Finding::new("tails", text).suggesting(Suggestion::Noise { tails }));
    }
}

/// How many directions matter with the kernel and ridge suggested.
fn dimension(
    points: Points,
    kernel: &KernelSpec,
    ridge: f64,
    found: &mut Vec<Finding>,
) -> Result<(), ProblemError> {
    if points.len() > MOST_FOR_DIMENSION {
        let text =
            format!("not computed for more than {MOST_FOR_DIMENSION} candidates; see elfving complexity");
        found.push(Finding::new("effective dimension", text));
        return Ok(());
    }
    let n = points.len();
    let pool = match kernel {
        KernelSpec::Linear => Pool::from_features(points.matrix().clone())?,
        kernel => {
            let settings = Factorisation::default().residual(1e-3 * ridge);
            Pool::from_kernel(kernel.build()?, points, None, &settings)?
        }
    };
    let effective = effective_dimension(&pool, Ridge::new(ridge)?, Tolerance::new(1e-2)?)?;
    let text =
        format!("{} (of {n} candidates); costs scale with it, see elfving plan", short(effective.trace));
    found.push(Finding::new("effective dimension", text));
    Ok(())
}

/// A kernel with a length scale that people write.
fn suggested(kernel: &KernelSpec) -> Suggestion {
    let mut of = kernel.clone();
    match &mut of {
        KernelSpec::Rbf { lengthscale }
        | KernelSpec::Matern32 { lengthscale }
        | KernelSpec::Matern52 { lengthscale } => {
            if let Lengthscale::Shared(exact) = lengthscale {
                *exact = digits(*exact, 2);
            }
        }
        _ => {}
    }
    Suggestion::Kernel { of }
}

/// Two digits, rounded up: a bound errs on the large side.
fn up(x: f64) -> f64 {
    if !(x > 0.0 && x.is_finite()) {
        return 0.0;
    }
    let unit = 10f64.powf(x.log10().floor() - 1.0);
    digits((x / unit).ceil() * unit, 2)
}

/// The number with so many digits behind the first.
fn digits(x: f64, more: usize) -> f64 {
    format!("{x:.more$e}").parse().unwrap_or(x)
}
