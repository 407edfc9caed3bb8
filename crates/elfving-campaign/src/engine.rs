//! From the question to an algorithm, and from the record to where the algorithm stood.
//!
//! The engine is a [`Follower`]: built when a plan, a decision or a report is needed, it follows the state of the campaign and decides
//! nothing that is not on record.

use elfving::bandit::{ChoiceInterval, Follower, Goal, Policy, Question, Report};
use elfving::pool::ChoiceId;
use elfving::units::{Confidence, Ridge};
use elfving_lab::AnyAlgorithm;
use elfving_problem::Dataset;
use elfving_problem::defaults::{USUAL_RIDGE, USUAL_TOLERANCE};

use crate::error::CampaignError;
use crate::spec::{Aim, Mode, Spec};
use crate::state::State;

/// The algorithm of a spec, before any data.
pub(crate) fn start(spec: &Spec, candidates: &Dataset) -> Result<Follower, CampaignError> {
    Ok(Follower::new(policy(spec, candidates)?).minimising(spec.aim == Aim::Minimise))
}

/// What is known, in the user's sign.
pub(crate) fn report(engine: &Follower, state: &State) -> Report {
    let report = engine.report(&state.talk);
    let turn = |interval: &ChoiceInterval| match state.spec.aim {
        Aim::Maximise => *interval,
        Aim::Minimise => ChoiceInterval {
            choice: interval.choice,
            estimate: -interval.estimate,
            lower: -interval.upper,
            upper: -interval.lower,
        },
    };
    let report = Report { intervals: report.intervals.iter().map(turn).collect(), ..report };
    match state.spec.assumed.range {
        Some(range) => within(range, report, state.spec.aim),
        None => report,
    }
}

/// Means lie where all outcomes lie: intervals end there, and so does what can be better than a pick.
fn within((low, high): (f64, f64), mut report: Report, aim: Aim) -> Report {
    for interval in &mut report.intervals {
        let ends = [&mut interval.estimate, &mut interval.lower, &mut interval.upper];
        ends.into_iter().for_each(|end| *end = end.clamp(low, high));
    }
    let room = |pick: &ChoiceId| {
        let interval = report.intervals.iter().find(|interval| interval.choice == *pick);
        interval.map_or(high - low, |interval| match aim {
            Aim::Maximise => high - interval.lower,
            Aim::Minimise => interval.upper - low,
        })
    };
    if let (Goal::Best { .. } | Goal::Top { .. }, Some(epsilon)) = (report.goal, report.epsilon) {
        report.epsilon = Some(report.picks.iter().map(room).fold(0.0, f64::max).min(epsilon));
    }
    report
}

/// The algorithm that a spec names.
fn policy(spec: &Spec, candidates: &Dataset) -> Result<Box<dyn Policy>, CampaignError> {
    match spec.mode {
        Mode::Certified => {
            let question = question(spec, candidates)?;
            let algorithm: AnyAlgorithm = spec.algorithm.parse().map_err(|_| unknown_algorithm(spec))?;
            algorithm.start(question).map_err(CampaignError::Bandit)
        }
        Mode::Calibrated => {
            let named = spec.algorithm.parse().ok();
            let algorithm = named.filter(|found: &AnyAlgorithm| found.is_calibrated());
            let space = candidates.space()?.ok_or_else(|| setting("the calibrated mode needs columns"))?;
            let algorithm = algorithm.ok_or_else(|| unknown_algorithm(spec))?;
            // The model has its own kernel: the pool only counts candidates and choices.
            let assumptions =
                spec.assumed.assumptions().map_err(|error| CampaignError::Bandit(error.into()))?;
            let pool = candidates.linear()?;
            let question = Question::new(pool, assumptions, spec.goal).map_err(CampaignError::Bandit)?;
            let question = question.delta(Confidence::new(spec.delta).map_err(invalid)?).seed(spec.seed);
            algorithm.start(question.space(space)).map_err(CampaignError::Bandit)
        }
    }
}

/// Fills in the algorithm where the spec leaves it to us, and why it was chosen.
pub(crate) fn resolve(mut spec: Spec, candidates: &Dataset) -> Result<Spec, CampaignError> {
    if spec.algorithm == "auto" && spec.mode == Mode::Calibrated {
        spec.algorithm = "calibrated".to_owned();
        spec.because =
            "a fitted model that reuses all data, in batches of any size: practical, no proof".to_owned();
    }
    if spec.algorithm == "auto" && spec.mode == Mode::Certified {
        let (algorithm, why) = AnyAlgorithm::auto(&question(&spec, candidates)?);
        spec.algorithm = algorithm.name().to_owned();
        spec.because = why.reason;
    }
    Ok(spec)
}

/// What is asked, with large outcomes good.
fn question(spec: &Spec, candidates: &Dataset) -> Result<Question, CampaignError> {
    if spec.assumed.sigma_bound().is_none() {
        return Err(setting(
            "the certified mode needs sigma, a bound on the standard deviation of the noise, or the range of the outcomes",
        ));
    }
    let assumptions = spec.assumed.assumptions().map_err(|error| CampaignError::Bandit(error.into()))?;
    // The recipe says how far a kernel is factorised.
    let pool = candidates.build(spec.gamma.unwrap_or(USUAL_RIDGE), USUAL_TOLERANCE)?;
    let mut question = Question::new((*pool).clone(), assumptions, spec.goal)
        .map_err(CampaignError::Bandit)?
        .delta(Confidence::new(spec.delta).map_err(invalid)?)
        .begun_with(candidates.begun_with())
        .theorem(spec.theorem)
        .seed(spec.seed);
    if let Some(space) = candidates.space()? {
        question = question.space(space);
    }
    for belief in &spec.priors {
        let belief = match spec.aim {
            Aim::Maximise => belief.clone(),
            Aim::Minimise => belief.clone().negated(),
        };
        question = question.believes(belief).map_err(CampaignError::Bandit)?;
    }
    if let Some(gamma) = spec.gamma {
        question = question.gamma(Ridge::new(gamma).map_err(invalid)?);
    }
    Ok(question)
}

fn invalid(error: elfving::units::InvalidValue) -> CampaignError {
    CampaignError::Bandit(error.into())
}

fn setting(message: &str) -> CampaignError {
    CampaignError::Setting { message: message.to_owned() }
}

fn unknown_algorithm(spec: &Spec) -> CampaignError {
    let names: Vec<&str> = AnyAlgorithm::all().map(AnyAlgorithm::name).collect();
    setting(&format!("there is no algorithm {:?}; there are auto, {}", spec.algorithm, names.join(", ")))
}
