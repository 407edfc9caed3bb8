//! From the question to an algorithm, and from the record to where the algorithm stood.
//!
//! The engine computes; it decides nothing that is not on record. It is built when a plan, a decision or a report is needed
//! and follows the state of the campaign. Outcomes change their sign at this border: inside, large is good.

use elfving::bandit::{
    Bandit, BanditError, ChoiceInterval, ConditionalStatement, Decision, Guarantee, Margins, Plan, Policy,
    Question, Reading, Report, SlotId, Status,
};
use elfving::pool::PointId;
use elfving::units::{Confidence, Ridge};
use elfving_lab::AnyAlgorithm;
use elfving_problem::Dataset;
use elfving_problem::defaults::{USUAL_RIDGE, USUAL_TOLERANCE};

use crate::error::CampaignError;
use crate::spec::{Aim, Mode, Spec};
use crate::state::{Round, State};

/// A bandit that stands where the record stands.
#[derive(Debug)]
pub(crate) struct Engine {
    bandit: Bandit,
    aim: Aim,
    /// Closed rounds it has taken in, and the measurements planned in them.
    rounds: usize,
    measurements: usize,
    /// Groups of earlier measurements it has taken in.
    earlier: usize,
    /// Whether it could use all of them.
    used_earlier: bool,
    went_ahead: bool,
}

/// What comes next.
pub(crate) enum Step {
    Measure(Plan),
    Stop(Status),
}

impl Engine {
    /// The algorithm of a spec, before any data.
    pub(crate) fn start(spec: &Spec, candidates: &Dataset) -> Result<Self, CampaignError> {
        let mut bandit = Bandit::new(policy(spec, candidates)?);
        if let Some(budget) = spec.budget {
            bandit = bandit.budget(budget);
        }
        let (rounds, measurements, earlier, used_earlier, went_ahead) = (0, 0, 0, true, false);
        Ok(Self { bandit, aim: spec.aim, rounds, measurements, earlier, used_earlier, went_ahead })
    }

    /// Takes in what is on record and was not taken in yet, up to the round under way.
    pub(crate) fn follow(&mut self, state: &State, candidates: &Dataset) -> Result<(), CampaignError> {
        while self.rounds < state.closed_rounds() {
            self.take_in_earlier(state, candidates)?;
            let round = &state.rounds[self.rounds];
            let decision = round.decision.as_ref().expect("the round is closed");
            let readings = self.turned(round);
            self.bandit.replay(round.plan.clone(), &readings, decision).map_err(CampaignError::Bandit)?;
            self.passed(round);
        }
        self.take_in_earlier(state, candidates)
    }

    /// Plans the next round: what the user forces first, then what the algorithm wants.
    pub(crate) fn plan(&mut self, forced: Vec<PointId>, batch: usize) -> Result<Step, CampaignError> {
        self.went_ahead = true;
        if !forced.is_empty() {
            self.bandit.force(forced).map_err(CampaignError::Bandit)?;
        } else if self.bandit.ask(batch).map_err(CampaignError::Bandit)?.is_empty() {
            return Ok(Step::Stop(self.bandit.report().status));
        }
        Ok(Step::Measure(self.bandit.plan().expect("a round was begun").clone()))
    }

    /// Whether it planned or decided something itself. What it then knows is the same as the record but for the last digits, so
    /// a process that goes on builds it again, as one that comes back would.
    pub(crate) fn went_ahead(&self) -> bool {
        self.went_ahead
    }

    /// Decides the round under way: from all its outcomes or, with some missing, from those there are.
    pub(crate) fn decide(&mut self, round: &Round) -> Result<Decision, CampaignError> {
        self.went_ahead = true;
        self.tell_all(round).map_err(CampaignError::Bandit)?;
        self.passed(round);
        Ok(self.bandit.decisions().last().expect("a round was decided").clone())
    }

    fn tell_all(&mut self, round: &Round) -> Result<(), BanditError> {
        let mut readings = self.turned(round);
        if round.missing > 0 {
            self.bandit.resume(round.plan.clone(), &readings)?;
            return self.bandit.close_without_guarantee();
        }
        // The last outcome decides the round.
        let last = readings.last_mut().and_then(Option::take).expect("a complete round has outcomes");
        self.bandit.resume(round.plan.clone(), &readings)?;
        let slot = SlotId::new((self.measurements + readings.len() - 1) as u64);
        self.bandit.tell(slot, last).map(drop)
    }

    /// Decides every closed round anew from the outcomes as they stand now.
    pub(crate) fn decide_again(
        spec: &Spec,
        candidates: &Dataset,
        state: &State,
    ) -> Result<Vec<Decision>, CampaignError> {
        let mut engine = Self::start(spec, candidates)?;
        let mut decisions = Vec::new();
        for round in &state.rounds[..state.closed_rounds()] {
            engine.take_in_earlier(state, candidates)?;
            decisions.push(engine.decide(round)?);
        }
        Ok(decisions)
    }

    /// Whether a corrected outcome only needs the decisions made anew.
    pub(crate) fn reuses_all(&self) -> bool {
        self.bandit.reuses_all()
    }

    /// Whether every earlier measurement counts.
    pub(crate) fn used_earlier(&self) -> bool {
        self.used_earlier
    }

    /// What is known, in the user's sign.
    pub(crate) fn report(&self, state: &State) -> Report {
        let report = self.bandit.report();
        let turn = |interval: &ChoiceInterval| match self.aim {
            Aim::Maximise => *interval,
            Aim::Minimise => ChoiceInterval {
                choice: interval.choice,
                estimate: -interval.estimate,
                lower: -interval.upper,
                upper: -interval.lower,
            },
        };
        let intervals = report.intervals.iter().map(turn).collect();
        match state.waived {
            Some(_) if report.guarantee != Guarantee::Calibrated => Report {
                intervals,
                guarantee: Guarantee::None,
                epsilon: None,
                margins: Margins::default(),
                ..report
            },
            _ => Report { intervals, ..report },
        }
    }

    /// What would be certified if the truth were simple enough under the fitted model.
    pub(crate) fn conditional(&self, sigma: Option<f64>) -> Option<ConditionalStatement> {
        self.bandit.conditional(sigma)
    }

    fn take_in_earlier(&mut self, state: &State, candidates: &Dataset) -> Result<(), CampaignError> {
        while let Some(earlier) = state.earlier.get(self.earlier).filter(|group| group.after <= self.rounds) {
            let turned = |(id, reading): &(String, Reading)| {
                Ok((PointId::new(candidates.find(id)?), turned(self.aim, reading)))
            };
            let measured: Vec<_> =
                earlier.measurements.iter().map(turned).collect::<Result<_, CampaignError>>()?;
            self.used_earlier &= self.bandit.earlier(&measured).map_err(CampaignError::Bandit)?;
            self.earlier += 1;
        }
        Ok(())
    }

    /// The readings of a round in plan order, large ones good.
    fn turned(&self, round: &Round) -> Vec<Option<Reading>> {
        let turned = |reading: Option<&Reading>| reading.map(|reading| turned(self.aim, reading));
        round.readings().into_iter().map(turned).collect()
    }

    fn passed(&mut self, round: &Round) {
        self.rounds += 1;
        self.measurements += round.points.len();
    }
}

fn turned(aim: Aim, reading: &Reading) -> Reading {
    match aim {
        Aim::Maximise => reading.clone(),
        Aim::Minimise => reading.negated(),
    }
}

/// The algorithm that a spec names.
fn policy(spec: &Spec, candidates: &Dataset) -> Result<Box<dyn Policy>, CampaignError> {
    match spec.mode {
        Mode::Certified => {
            let question = question(spec, candidates)?;
            let algorithm =
                AnyAlgorithm::from_name(&spec.algorithm).ok_or_else(|| unknown_algorithm(spec))?;
            algorithm.start(question).map_err(CampaignError::Bandit)
        }
        Mode::Calibrated => {
            let algorithm = AnyAlgorithm::from_name(&spec.algorithm).filter(|found| found.is_calibrated());
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
    if spec.assumed.sigma.is_none() {
        return Err(setting(
            "the certified mode needs sigma, a bound on the standard deviation of the noise",
        ));
    }
    let assumptions = spec.assumed.assumptions().map_err(|error| CampaignError::Bandit(error.into()))?;
    // The recipe says how far a kernel is factorised.
    let pool = candidates.build(spec.gamma.unwrap_or(USUAL_RIDGE), USUAL_TOLERANCE)?;
    let mut question = Question::new((*pool).clone(), assumptions, spec.goal)
        .map_err(CampaignError::Bandit)?
        .delta(Confidence::new(spec.delta).map_err(invalid)?)
        .seed(spec.seed);
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
