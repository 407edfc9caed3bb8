//! What an earlier campaign predicts of the candidates of a new one: it bets there, beside the other models.

use elfving::bandit::{Belief, Reading, SlotState};
use elfving::pool::PointId;
use elfving::surrogate::{Aim as ModelAim, Measurement, PosteriorOver, RowId, Surrogate};
use elfving_problem::Dataset;

use crate::campaign::{Campaign, setting};
use crate::error::CampaignError;
use crate::spec::Aim;

/// The predictions of the fitted model of an earlier campaign, one per candidate: from all of its results, in the units of its outcome.
///
/// # Errors
/// Without results there is nothing to predict from; candidates that lack a column of the earlier ones cannot be predicted.
pub(crate) fn belief(earlier: &Campaign, candidates: &Dataset) -> Result<Belief, CampaignError> {
    let spec = earlier.spec();
    let name = format!("the earlier campaign {}", spec.name);
    let known = earlier.candidates()?;
    let table =
        candidates.table().ok_or_else(|| setting("predictions need a table of candidates".to_owned()))?;
    let mut measured = Vec::new();
    for (_, point, slot) in earlier.state().slots() {
        if let SlotState::Told(reading) = &slot.state {
            add(&mut measured, point, reading);
        }
    }
    earlier.state().brought().iter().for_each(|(point, reading)| add(&mut measured, *point, reading));
    if measured.is_empty() {
        return Err(setting(format!("{name} has no results to predict from")));
    }
    let both = known.with_target_table(table.clone())?;
    let space = both.space()?.ok_or_else(|| setting("predictions need columns".to_owned()))?;
    let aim = match spec.aim {
        Aim::Maximise => ModelAim::Maximise,
        Aim::Minimise => ModelAim::Minimise,
    };
    let of_model = |error: elfving::surrogate::SurrogateError| CampaignError::Bandit(error.into());
    let fit = Surrogate::default().aim(aim).fit(&space, &measured, None).map_err(of_model)?;
    let posterior = fit.posterior(PosteriorOver::Choices);
    let (mut means, mut deviations) = (Vec::new(), Vec::new());
    for choice in 0..space.choices() {
        let row: RowId = space.choice_row(elfving::pool::ChoiceId::new(choice));
        let reported = fit.outcome().report(posterior.mean(row), posterior.deviation(row), 1.0);
        means.push(kept(reported.median));
        deviations.push(kept(0.5 * (reported.upper - reported.lower)).max(f64::MIN_POSITIVE));
    }
    Belief::new(name, means, deviations).map_err(CampaignError::Bandit)
}

fn add(measured: &mut Vec<Measurement>, point: PointId, reading: &Reading) {
    match reading.variance() {
        Some(variance) => measured.push(Measurement::new(point, reading.mean()).variance(variance)),
        None => measured.extend(reading.values().iter().map(|&value| Measurement::new(point, value))),
    }
}

/// Six digits: what a record of every candidate needs.
fn kept(x: f64) -> f64 {
    format!("{x:.5e}").parse().unwrap_or(x)
}
