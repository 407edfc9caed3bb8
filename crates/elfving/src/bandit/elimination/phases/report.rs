//! What is known, said in full.

use super::*;

impl Phases {
    pub(crate) fn status(&self) -> Status {
        self.verdict.finished().map_or(Status::Measuring, Status::Finished)
    }

    /// Whether every elimination, and the answer if there is one, follows from these premises too.
    pub(crate) fn stands(&self, premises: &Assumptions) -> bool {
        let premises = &self.relevant(premises);
        let reviewed = review(self.ledger.records(), premises, self.assumptions().sigma_bound());
        let answered = self.verdict.finished() == Some(Reason::Reached) && !self.is_regret();
        let reached = || {
            let last = reviewed.last.as_ref().map(|(record, widths)| (*record, widths.as_slice()));
            self.epsilon_at(last, premises, self.ledger.known()) <= self.limit()
        };
        reviewed.stands && (!answered || reached())
    }

    /// Whether everything that is said follows for a θ of this norm, without room for a bias: every elimination, the ε of the answer and
    /// every interval.
    fn bears(&self, norm: f64) -> bool {
        let premises = &Assumptions { norm: Some(norm), ..self.premises() };
        let reviewed = review(self.ledger.records(), premises, self.assumptions().sigma_bound());
        let last = reviewed.last.as_ref().map(|(record, widths)| (*record, widths.as_slice()));
        let as_good = |epsilon: f64| self.epsilon_at(last, premises, &reviewed.known) <= epsilon;
        let inside = |&name: &ChoiceId| {
            let about = self.mean_of(name);
            let (said, proved) = (self.ledger.known().of(about), reviewed.known.of(about));
            said.low <= proved.low && proved.high <= said.high
        };
        reviewed.stands
            && self.verdict.epsilon().is_none_or(as_good)
            && self.ledger.survivors().iter().all(inside)
    }

    /// Whether a bound on the norm is needed that nobody gave.
    fn needs_a_norm(&self) -> bool {
        let pulls = |record: &RoundRecord| record.statements.iter().any(|stated| stated.evidence.pull > 0.0);
        self.assumptions().norm_bound().is_none() && self.ledger.records().iter().any(pulls)
    }

    /// The largest norm with which all that is said follows, where nobody gave one. `None` when nothing follows, whatever the norm.
    fn norm_borne(&self) -> Option<f64> {
        let longest = self.question.pool.features().max_abs().max(f64::MIN_POSITIVE);
        self.verdict.norm_borne(|| {
            self.ledger
                .is_grounded()
                .then(|| norm_borne(self.scale() / longest, |norm| self.bears(norm)))
                .flatten()
        })
    }

    fn margins(&self) -> Margins {
        let decided =
            !self.ledger.eliminated().is_empty() || self.verdict.finished() == Some(Reason::Reached);
        let computed = self.rule.constants == Constants::Certified && self.ledger.is_grounded();
        if !(decided && computed) {
            return Margins::default();
        }
        let premises = self.premises();
        let longest = self.question.pool.features().max_abs().max(f64::MIN_POSITIVE);
        let scale = self.scale();
        let unit = Assumptions {
            norm: Some(scale / longest),
            sigma: scale,
            bound: Some(scale),
            misspecification: scale,
            ..premises.clone()
        };
        margins(&premises, &unit, |premises| self.stands(premises))
    }

    pub(crate) fn report(&self) -> Report {
        let guarantee = match self.rule.constants {
            Constants::Certified if self.ledger.is_refuted() => Guarantee::Withdrawn,
            Constants::Certified if self.needs_a_norm() && self.norm_borne().is_none() => Guarantee::None,
            Constants::Certified => Guarantee::Certified,
            Constants::Paper => Guarantee::AsPrinted,
        };
        let survivors = self.ledger.choices();
        let stands = guarantee != Guarantee::Withdrawn;
        Report {
            status: self.status(),
            guarantee,
            picks: self.verdict.standing().picks(self.question.goal, self.ledger.groups()),
            epsilon: self.verdict.epsilon().filter(|epsilon| epsilon.is_finite() && stands),
            floor: self.verdict.floor(),
            intervals: self.intervals(&survivors),
            survivors,
            eliminated: self.ledger.eliminated().to_vec(),
            rounds: self.rounds.closed(),
            samples: self.rounds.samples(),
            premises: self.stated_premises(),
            margins: if stands { self.verdict.margins(|| self.margins()) } else { Margins::default() },
            ..Report::open(self.rule.name, self.question.goal, self.question.delta)
        }
    }

    fn intervals(&self, survivors: &[ChoiceId]) -> Vec<ChoiceInterval> {
        let all_known =
            self.ledger.survivors().iter().all(|&name| self.ledger.known().has(self.mean_of(name)));
        if !all_known {
            return Vec::new();
        }
        let interval = |&choice: &ChoiceId| {
            let range = self.ledger.known().of(self.mean_of(self.ledger.groups().name_of(choice)));
            ChoiceInterval { choice, estimate: range.middle(), lower: range.low, upper: range.high }
        };
        survivors.iter().map(interval).collect()
    }

    fn stated_premises(&self) -> Vec<Premise> {
        let mut premises = vec![match self.rule.tails {
            Tails::BoundedVariance => Premise::IndependentDraws { draws: self.rounds.samples() as usize },
            Tails::SubGaussian if self.rounds.closed() > 1 => {
                Premise::FixedRounds { measurements: self.rounds.samples(), rounds: self.rounds.closed() }
            }
            Tails::SubGaussian => Premise::FixedCounts { measurements: self.rounds.samples() },
        }];
        premises.push(self.assumptions().noise_premise(self.rule.tails));
        if let (Tails::BoundedVariance, Some(bound)) = (self.rule.tails, self.assumptions().bound_if_known())
        {
            premises.push(Premise::MeansBounded { bound });
        }
        let gamma = self.rounds.gamma().unwrap_or(0.0);
        let for_means = |premise| match premise {
            // The intervals are for the means: what h adds to them is in their widths.
            Premise::Misspecification { h } if h > 0.0 => Some(Premise::MeansWithin { h }),
            // Where nothing was measured yet nothing rests on the norm.
            Premise::NormUnknown { .. } if self.rule.constants == Constants::Certified => {
                let borne = self.needs_a_norm().then(|| self.norm_borne()).flatten();
                borne.map(|norm| Premise::NormBorne { norm })
            }
            other => Some(other),
        };
        let model = self.assumptions().model_premises(gamma, self.question.pool.residual());
        premises.extend(model.into_iter().filter_map(for_means));
        premises
    }
}
