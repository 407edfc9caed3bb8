//! Experiment 3: a setting in which the plain IPS estimate has large deviations and RIPS does not.

use super::curves::{Point, curves, repeat};
use super::findings::Found;
use super::normal::normals;
use super::{Claim, ExperimentError, Panel};
use elfving::estimate::robust_mean::{
    CalibratedCatoni, Catoni, DirectionSamples, MedianOfMeans, MomentBound, PlainMean, RobustMean,
    TruncatedMean,
};
use elfving::numerics::Matrix;
use elfving::numerics::rng::Purpose;
use elfving::pool::PointId;
use elfving::rounding::Draws;
use elfving::units::Confidence;
use serde_json::json;

/// The sizes m: those of the text, then larger ones.
pub(crate) const SIZES: [usize; 7] = [12, 14, 16, 20, 24, 32, 48];
/// The sizes of the text.
const PRINTED: usize = 3;
const DELTA: f64 = 0.05;
const NOISE: Purpose = Purpose::new("ips-noise");
/// The second moment of an outcome: θ* = -1 everywhere and noise N(0, 1).
const SECOND_MOMENT: f64 = 2.0;

const IPS: &str = "IPS";
const RIPS: &str = "RIPS";
const SAMPLE_VARIANCE: &str = "RIPS, sample variance";
const MEDIAN: &str = "RIPS, median of means";
const TRUNCATED: &str = "RIPS, truncated";
const METHODS: [&str; 5] = [IPS, RIPS, SAMPLE_VARIANCE, MEDIAN, TRUNCATED];

/// The optimal design for V in closed form, or the one that ignores V.
#[derive(Clone, Copy, PartialEq)]
enum Weights {
    Optimised,
    Uniform,
}

pub(crate) fn run(repeats: usize, seed: u64, progress: &(dyn Fn() + Sync)) -> Result<Found, ExperimentError> {
    let mut optimised = vec![Vec::new(); repeats];
    let mut uniform = vec![Vec::new(); repeats];
    for m in SIZES {
        let both = repeat(repeats, progress, |repetition| {
            let mut errors = one(m, Weights::Optimised, seed, repetition)?;
            errors.extend(one(m, Weights::Uniform, seed, repetition)?);
            Ok(errors)
        })?;
        for (repetition, errors) in both.into_iter().enumerate() {
            let (first, second) = errors.split_at(METHODS.len());
            optimised[repetition].extend_from_slice(first);
            uniform[repetition].extend_from_slice(second);
        }
    }
    let at: Vec<f64> = SIZES.iter().map(|&m| m as f64).collect();
    let panel = |name: &str, design: &str, repetitions: &[Vec<Point>]| Panel {
        name: name.to_owned(),
        title: "RIPS against IPS: largest error over V".to_owned(),
        subtitle: format!(
            "X = the basis of R^(m² + m), T = 4m, noise N(0, 1), {design}, {repeats} repetitions"
        ),
        x: "m".to_owned(),
        y: "largest error over V".to_owned(),
        log_x: false,
        log_y: true,
        curves: curves(repetitions, &METHODS, &at),
    };
    let panels = vec![
        panel("optimised", "design optimal for V", &optimised),
        panel("uniform", "uniform design", &uniform),
    ];
    let claims = claims(&panels);
    let parameters = json!({
        "sizes": SIZES, "budget": "4 m", "delta": DELTA, "sigma": 1.0, "theta": -1.0,
        "design": "1/(2m) on the first m coordinates, 1/(2 m^2) on the others; f = 4 m^2",
    });
    Ok(Found { parameters, panels, claims })
}

/// The error of every method at one size. X is a basis, so `vᵀA⁻¹e_x = v_x / λ_x`.
fn one(m: usize, weights: Weights, seed: u64, repetition: u64) -> Result<Vec<Point>, ExperimentError> {
    let dimension = m * m + m;
    let weight = |x: usize| match weights {
        Weights::Uniform => 1.0 / dimension as f64,
        Weights::Optimised if x < m => 0.5 / m as f64,
        Weights::Optimised => 0.5 / (m * m) as f64,
    };
    let design: Vec<(PointId, f64)> = (0..dimension).map(|x| (PointId::new(x), weight(x))).collect();
    let draws = Draws::for_round(&design, 4 * m as u64, seed, 1000 * repetition + m as u64)?;
    let noise = normals(seed, 1000 * repetition + m as u64, NOISE, 4 * m);
    let outcomes: Vec<f64> = noise.iter().map(|noise| -1.0 + noise).collect();

    // The distinct points that were drawn, and v_x / λ_x at each of them for v = e_1 + … + e_m + e_{m+i}.
    let drawn: Vec<usize> = draws.counts().iter().map(|(id, _)| id.index()).collect();
    let column = |id: &PointId| drawn.partition_point(|&x| x < id.index());
    let columns: Vec<usize> = draws.points().iter().map(column).collect();
    let entry = |i: usize, x: usize| if x < m || x == m + i { 1.0 / weight(x) } else { 0.0 };
    let coefficients = Matrix::from_fn(m * m, drawn.len(), |i, k| entry(i, drawn[k]));
    let norm_squared = m as f64 / weight(0) + 1.0 / weight(m);
    let bounds = vec![MomentBound::new(SECOND_MOMENT * norm_squared)?; m * m];
    let samples = DirectionSamples::new(&columns, &outcomes, &coefficients)?;

    let delta = Confidence::new(DELTA / (m * m) as f64)?;
    let truth = -(m as f64 + 1.0);
    let error =
        |estimates: Vec<f64>| estimates.iter().fold(0.0, |worst: f64, w| worst.max((w - truth).abs()));
    let sample_variance = |i: usize| {
        let row = coefficients.row(i);
        let own: Vec<f64> = columns.iter().zip(&outcomes).map(|(&k, y)| row[k] * y).collect();
        CalibratedCatoni::plug_in(&own, delta).map(|fit| fit.estimate)
    };
    let plugged_in = (0..m * m).map(sample_variance).collect::<Result<Vec<f64>, _>>()?;
    // With one block for each 8 log(1/δ) there would be more blocks than samples: eight, as is usual.
    let median = MedianOfMeans::with_blocks(8)?;
    let at = m as f64;
    Ok(vec![
        (IPS, at, error(PlainMean::new(delta).estimate_each(&samples, &bounds)?)),
        (RIPS, at, error(Catoni::new(delta).estimate_each(&samples, &bounds)?)),
        (SAMPLE_VARIANCE, at, error(plugged_in)),
        (MEDIAN, at, error(median.estimate_each(&samples, &bounds)?)),
        (TRUNCATED, at, error(TruncatedMean::new(delta).estimate_each(&samples, &bounds)?)),
    ])
}

fn claims(panels: &[Panel]) -> Vec<Claim> {
    let ratios = |panel: &Panel| -> Vec<f64> {
        let means = |method: &str| panel.curve(method).map_or(&[][..], |curve| &curve.y);
        means(IPS).iter().zip(means(RIPS)).map(|(ips, rips)| ips.mean / rips.mean).collect()
    };
    let listed = |ratios: &[f64]| {
        let pair = |(m, ratio): (&usize, &f64)| format!("m = {m}: {ratio:.2}");
        SIZES.iter().zip(ratios).map(pair).collect::<Vec<_>>().join(", ")
    };
    let (optimised, uniform) = (ratios(&panels[0]), ratios(&panels[1]));
    let grows = optimised[SIZES.len() - 1] > optimised[PRINTED - 1] && optimised[PRINTED - 1] > 1.0;
    vec![
        Claim {
            says: "as m grows, IPS degrades relative to RIPS (design optimal for V, variance bound known)"
                .to_owned(),
            measured: format!("error of IPS over error of RIPS, {}", listed(&optimised)),
            holds: grows && optimised[0] > 1.8,
        },
        Claim {
            says: "the same under a uniform design".to_owned(),
            measured: format!("error of IPS over error of RIPS, {}", listed(&uniform)),
            holds: uniform[SIZES.len() - 1] > uniform[PRINTED - 1] && uniform[0] > 1.8,
        },
    ]
}
