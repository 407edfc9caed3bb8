//! Everything there is to find, in the order in which it is chosen.

use std::sync::Arc;

use elfving::pool::feature_maps::standardise;
use elfving::pool::{Factorisation, KernelSpec, Lengthscale, Points, Pool, median_lengthscale};
use elfving::units::{Ridge, Tolerance};
use elfving_lab::complexity::effective_dimension;

use super::columns::Columns;
use super::results::Results;
use super::{Finding, columns, likelihood};
use crate::error::CliError;
use crate::pool_source::LoadedPool;
use crate::words::{counted, short};

/// A ridge for a kernel of which nothing else is known, relative to k(x, x) = 1.
const FIRST_RIDGE: f64 = 0.01;
/// Pools of more candidates than this get no effective dimension: a factorisation of rank n is cubic.
const MOST_FOR_DIMENSION: usize = 2000;
/// Noise of a kurtosis above this does not look sub-Gaussian.
const HEAVY: f64 = 5.0;
/// Results of fewer candidates than this are not fitted.
const FEWEST_FOR_FIT: usize = 8;

pub(super) fn all(
    loaded: &LoadedPool,
    results: Option<&Results>,
    seed: u64,
) -> Result<Vec<Finding>, CliError> {
    let Columns { findings: mut found, coordinates, standardize, waiting } =
        columns::findings(loaded, loaded.coordinates().0, &loaded.coordinates().1);
    duplicates(loaded, &mut found);
    let coordinates = if standardize { standardise(&coordinates)?.0 } else { coordinates };
    let points = Points::new(coordinates)?;
    let median = median_lengthscale(&points, seed).unwrap_or(1.0);
    let mut kernel = ("matern52", Some(median));
    let mut ridge = FIRST_RIDGE;
    let with = match (waiting, standardize) {
        (true, _) => ", without the text columns: diagnose again with --one-hot",
        (false, true) => ", columns standardized",
        (false, false) => "",
    };
    match results.filter(|results| results.measured.len() >= FEWEST_FOR_FIT) {
        None => {
            let text = format!("the median distance between candidates is {}{with}", short(median));
            found.push(Finding::new("kernel", text).flag(flag_of(kernel)));
        }
        Some(results) => {
            let rows: Vec<usize> = results.measured.iter().map(|(row, _)| *row).collect();
            let fits = likelihood::fits(&points.matrix().select_rows(&rows), &results.means(), median)?;
            if let Some(best) = fits.first() {
                kernel = (best.kernel, best.lengthscale);
                ridge = (best.noise / best.signal).powi(2) / results.measured.len() as f64;
                ridge = ridge.clamp(1e-8, 1.0);
                let others: Vec<String> = fits[1..]
                    .iter()
                    .map(|fit| format!("{} {}", fit.kernel, short(fit.log_likelihood - best.log_likelihood)))
                    .collect();
                let text = format!(
                    "most likely for {} measured candidates{with}; log likelihood of the others, relative: {}",
                    rows.len(),
                    others.join(", ")
                );
                found.push(Finding::new("kernel", text).flag(flag_of(kernel)));
                let text = format!("the fitted mean has norm {}; the bound must be larger", short(best.norm));
                found.push(Finding::new("norm", text).flag(format!("--norm {}", up(1.5 * best.norm))));
            }
            noise(results, fits.first(), &mut found);
        }
    }
    if let Some(results) = results {
        let largest = results.means().iter().fold(0.0f64, |largest, mean| largest.max(mean.abs()));
        let text = format!("the largest mean outcome is {}; the best may be larger", short(largest));
        found.push(Finding::new("bound", text).flag(format!("--bound {}", up(1.2 * largest))));
    }
    let why = if results.is_some() {
        "noise variance over signal variance, per measured candidate"
    } else {
        "a first choice"
    };
    found.push(Finding::new("ridge", why).flag(format!("--gamma {ridge:.0e}")));
    dimension(points, kernel, ridge, &mut found)?;
    Ok(found)
}

fn duplicates(loaded: &LoadedPool, found: &mut Vec<Finding>) {
    let groups = loaded.pool.duplicates();
    let text = match groups.first() {
        None => "no two candidates have the same features".to_owned(),
        Some(first) => format!(
            "{} of candidates with equal features, such as {:?} and {:?}: they cannot be separated",
            counted(groups.len(), "group"),
            &loaded.ids()[first[0].index()],
            &loaded.ids()[first[1].index()]
        ),
    };
    found.push(Finding::new("duplicates", text));
}

fn noise(results: &Results, fit: Option<&likelihood::Fit>, found: &mut Vec<Finding>) {
    match (results.repeat_deviation(), fit) {
        (Some((sigma, degrees)), _) => {
            let text =
                format!("standard deviation {} within repeats, {degrees} degrees of freedom", short(sigma));
            found.push(Finding::new("noise", text).flag(format!("--sigma {}", up(sigma))));
        }
        (None, Some(fit)) => {
            let text = format!(
                "standard deviation {} from the fit; repeats give a better estimate",
                short(fit.noise)
            );
            found.push(Finding::new("noise", text).flag(format!("--sigma {}", up(fit.noise))));
        }
        (None, None) => {}
    }
    if let Some(kurtosis) = results.kurtosis() {
        let text = format!("kurtosis {} within repeats (3 for normal noise)", short(kurtosis));
        found.push(match kurtosis <= HEAVY {
            true => Finding::new("tails", text).flag("--noise sub-gaussian"),
            false => Finding::new("tails", format!("{text}: heavy tails")).flag("--noise bounded-variance"),
        });
    }
}

/// How many directions matter with the kernel and ridge suggested.
fn dimension(
    points: Points,
    kernel: (&str, Option<f64>),
    ridge: f64,
    found: &mut Vec<Finding>,
) -> Result<(), CliError> {
    if points.len() > MOST_FOR_DIMENSION {
        let text =
            format!("not computed for more than {MOST_FOR_DIMENSION} candidates; see elfving complexity");
        found.push(Finding::new("effective dimension", text));
        return Ok(());
    }
    let n = points.len();
    let pool = match kernel {
        ("linear", _) | (_, None) => Pool::from_features(points.matrix().clone())?,
        (name, Some(lengthscale)) => {
            let lengthscale = Lengthscale::Shared(lengthscale);
            let spec = match name {
                "rbf" => KernelSpec::Rbf { lengthscale },
                "matern32" => KernelSpec::Matern32 { lengthscale },
                _ => KernelSpec::Matern52 { lengthscale },
            };
            let settings = Factorisation::default().residual(1e-3 * ridge);
            Pool::from_kernel(Arc::clone(&spec.build()?), points, None, &settings)?
        }
    };
    let effective = effective_dimension(&pool, Ridge::new(ridge)?, Tolerance::new(1e-2)?)?;
    let text =
        format!("{} (of {n} candidates); costs scale with it, see elfving plan", short(effective.trace));
    found.push(Finding::new("effective dimension", text));
    Ok(())
}

fn flag_of((kernel, lengthscale): (&str, Option<f64>)) -> String {
    match lengthscale {
        Some(lengthscale) => format!("--kernel {kernel} --lengthscale {}", three_digits(lengthscale)),
        None => format!("--kernel {kernel}"),
    }
}

/// Two digits, rounded up: a bound errs on the large side.
fn up(x: f64) -> f64 {
    if !(x > 0.0 && x.is_finite()) {
        return 0.0;
    }
    let unit = 10f64.powf(x.log10().floor() - 1.0);
    three_digits((x / unit).ceil() * unit)
}

fn three_digits(x: f64) -> f64 {
    format!("{x:.2e}").parse().unwrap_or(x)
}
