//! Every quantity under its stable name.

use elfving::units::{Confidence, Ridge, Tolerance};
use elfving_lab::complexity::{
    ComplexityError, Enclosure, Over, Truth, characteristic_time, effective_dimension, epsilon_bar, floor,
    greedy_information_gain, information_gain, near_best_variance, rho_star, worst_subset, worst_variance,
};

use super::Asked;
use crate::error::CliError;
use crate::pool_source::LoadedPool;

/// More measurements than this are not chosen one by one.
const MOST_GREEDY: u64 = 10_000;

/// A number with its name, its bounds and what it says.
pub(super) struct Quantity {
    pub(super) name: &'static str,
    pub(super) enclosure: Enclosure,
    pub(super) meaning: String,
}

type Found = (Vec<Quantity>, Vec<(&'static str, String)>);

/// All that can be computed; what cannot comes with the reason.
pub(super) fn all(
    question: &Asked,
    loaded: &LoadedPool,
    truth: Option<&Truth>,
    gamma: Ridge,
    tolerance: Tolerance,
) -> Result<Found, CliError> {
    let pool = &loaded.pool;
    let delta = Confidence::new(question.delta)?;
    let sigma = question.sigma;
    let mut list = List { found: Vec::new(), missing: Vec::new() };
    let (horizon, noise) = (question.horizon, sigma * sigma);
    list.add(
        "f_points",
        worst_variance(pool, Over::Points, gamma, tolerance),
        "the variance the best design leaves at the worst candidate",
    )?;
    list.add(
        "f_differences",
        worst_variance(pool, Over::Differences, gamma, tolerance),
        "the same for the worst difference of two",
    )?;
    match effective_dimension(pool, gamma, tolerance) {
        Ok(effective) => {
            let above = format!("directions above gamma, of {}", effective.dimension);
            list.exact(
                "effective_dimension_trace",
                effective.trace,
                "how many directions matter: tr A(A + gamma)^-1",
            );
            list.exact("effective_dimension_count", effective.count as f64, &above);
        }
        Err(error) => list.leave_out("effective_dimension_trace", error)?,
    }
    if gamma.get() > 0.0 {
        let subset = worst_subset(pool, gamma, tolerance).map(|subset| subset.worst);
        list.add("f_bar", subset, "f of the worst subset of the candidates")?;
    }
    let gain = information_gain(pool, horizon as f64, noise, tolerance).map(|gain| gain.gain);
    list.add(
        "information_gain",
        gain,
        &format!("what {horizon} measurements can tell at most: log det(I + T K / sigma^2)"),
    )?;
    if horizon <= MOST_GREEDY {
        let greedy = greedy_information_gain(pool, horizon as usize, noise)?;
        list.exact("information_gain_greedy", greedy.value, &format!("what {horizon} chosen greedily tell"));
    }
    let norm = question.norm.or(truth.map(|truth| truth.norm));
    let misspecification = question.misspecification.or(truth.map(|truth| truth.misfit)).unwrap_or(0.0);
    if let Some(norm) = norm {
        let floor = floor(pool, gamma, norm, misspecification, tolerance).map(|floor| floor.floor);
        list.add("floor", floor, "below this accuracy eliminations are not protected from the bias")?;
    }
    if let Some(truth) = truth {
        let epsilon = question.epsilon;
        list.exact("truth_norm", truth.norm, "the norm of the truth in the space of the features");
        list.exact("truth_misfit", truth.misfit, "the largest distance of the truth from the model");
        let rho = rho_star(pool, truth, gamma, epsilon, tolerance);
        list.add(
            "rho_star",
            rho,
            &format!("what finding a choice within {epsilon} of the best costs, for this truth"),
        )?;
        let g = near_best_variance(pool, truth, gamma, epsilon, tolerance);
        list.add("g", g, &format!("the variance among the choices within {epsilon} of the best"))?;
        let bar = epsilon_bar(pool, truth, gamma, misspecification, Over::Points, tolerance);
        list.add(
            "epsilon_bar",
            bar.map(|bar| bar.epsilon_bar),
            "the accuracy from which the theorem speaks",
        )?;
        match characteristic_time(pool, truth, question.norm, tolerance) {
            Ok(time) => {
                let measurements = time.measurements(sigma, delta);
                list.push(
                    "t_star",
                    time.time,
                    "no algorithm names the best in fewer than T* sigma^2 log(1/(2.4 delta))",
                );
                list.exact(
                    "lower_bound",
                    measurements,
                    &format!("measurements, on average, at delta = {}", question.delta),
                );
            }
            Err(error) => list.leave_out("t_star", error)?,
        }
    }
    Ok((list.found, list.missing))
}

struct List {
    found: Vec<Quantity>,
    missing: Vec<(&'static str, String)>,
}

impl List {
    fn push(&mut self, name: &'static str, enclosure: Enclosure, meaning: &str) {
        self.found.push(Quantity { name, enclosure, meaning: meaning.to_owned() });
    }

    fn exact(&mut self, name: &'static str, value: f64, meaning: &str) {
        self.push(name, Enclosure::exact(value), meaning);
    }

    fn add(
        &mut self,
        name: &'static str,
        found: Result<Enclosure, ComplexityError>,
        meaning: &str,
    ) -> Result<(), CliError> {
        match found {
            Ok(enclosure) => self.push(name, enclosure, meaning),
            Err(error) => self.leave_out(name, error)?,
        }
        Ok(())
    }

    /// What a design or a tie forbids is left out; a wrong question is refused.
    fn leave_out(&mut self, name: &'static str, error: ComplexityError) -> Result<(), CliError> {
        match error {
            ComplexityError::Design(_) | ComplexityError::Tie { .. } => {
                self.missing.push((name, error.to_string()));
                Ok(())
            }
            error => Err(error.into()),
        }
    }
}
