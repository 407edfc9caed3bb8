//! What is known, said in full.

use super::*;

impl Phases {
    pub(crate) fn status(&self) -> Status {
        self.finished.map_or(Status::Measuring, Status::Finished)
    }

    /// Whether every elimination, and the answer if there is one, follows from these premises too.
    pub(crate) fn stands(&self, premises: &Assumptions) -> bool {
        let premises = &self.relevant(premises);
        let reviewed = review(&self.records, premises, self.assumptions().sigma_bound());
        let answered = self.finished == Some(Reason::Reached) && !self.is_regret();
        let reached = || {
            let last = reviewed.last.as_ref().map(|(record, widths)| (*record, widths.as_slice()));
            self.epsilon_at(last, premises, &self.known) <= self.limit()
        };
        reviewed.stands && (!answered || reached())
    }

    fn margins(&self) -> Margins {
        let decided = !self.eliminated.is_empty() || self.finished == Some(Reason::Reached);
        let computed = self.constants == Constants::Certified && !self.ungrounded && !self.records.is_empty();
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
        let guarantee = match self.constants {
            Constants::Certified => Guarantee::Certified,
            Constants::Paper => Guarantee::AsPrinted,
        };
        let survivors = self.groups.expand(&self.survivors);
        Report {
            policy: self.name,
            goal: self.question.goal,
            status: self.status(),
            guarantee,
            delta: self.question.delta.delta(),
            picks: self.standing.picks(self.question.goal, &self.groups),
            epsilon: self.epsilon.filter(|epsilon| epsilon.is_finite()),
            floor: self.floor,
            intervals: self.intervals(&survivors),
            survivors,
            eliminated: self.eliminated.clone(),
            rounds: self.rounds,
            samples: self.samples,
            premises: self.stated_premises(),
            margins: *self.margins.get_or_init(|| self.margins()),
            standing: None,
        }
    }

    fn intervals(&self, survivors: &[ChoiceId]) -> Vec<ChoiceInterval> {
        let all_known = self.survivors.iter().all(|&name| self.known.has(self.mean_of(name)));
        if !all_known {
            return Vec::new();
        }
        let interval = |&choice: &ChoiceId| {
            let range = self.known.of(self.mean_of(self.groups.name_of(choice)));
            ChoiceInterval { choice, estimate: range.middle(), lower: range.low, upper: range.high }
        };
        survivors.iter().map(interval).collect()
    }

    fn stated_premises(&self) -> Vec<Premise> {
        let mut premises = vec![match self.tails {
            Tails::BoundedVariance => Premise::IndependentDraws { draws: self.samples as usize },
            Tails::SubGaussian => Premise::FixedCounts { measurements: self.samples },
        }];
        premises.push(self.assumptions().noise_premise(self.tails));
        if let (Tails::BoundedVariance, Some(bound)) = (self.tails, self.assumptions().bound_if_known()) {
            premises.push(Premise::MeansBounded { bound });
        }
        let gamma = self.last_gamma.unwrap_or(0.0);
        // The intervals are for the means: what h adds to them is in their widths.
        let for_means = |premise| match premise {
            Premise::Misspecification { h } if h > 0.0 => Premise::MeansWithin { h },
            other => other,
        };
        let model = self.assumptions().model_premises(gamma, self.question.pool.residual());
        premises.extend(model.into_iter().map(for_means));
        premises
    }
}
