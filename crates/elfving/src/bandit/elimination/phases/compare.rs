//! Exploration: the differences that decide.

use super::*;
use crate::numerics::position_of_largest;
use std::collections::BTreeMap;

impl Phases {
    /// The differences that decide: an anchor against every survivor, the anchor being whoever no one is estimated above; and the
    /// m leaders against every survivor.
    ///
    /// Which differences are looked at depends on the outcomes, so the union bound counts all pairs.
    pub(crate) fn compare(
        &self,
        plan: &Plan,
        statements: usize,
        estimator: &Estimator<'_>,
        mut stated: Vec<Stated>,
    ) -> Result<Learned, BanditError> {
        let estimates: BTreeMap<About, f64> =
            stated.iter().map(|one| (one.about, one.evidence.estimate)).collect();
        let of_means: Vec<f64> =
            self.ledger.survivors().iter().map(|&id| estimates[&self.mean_of(id)]).collect();
        let mut anchor = self.ledger.survivors()[position_of_largest(&of_means)];
        let mut anchors = Vec::new();
        let mut above = Vec::new();
        for _ in 0..5 {
            let others: Vec<ChoiceId> =
                self.ledger.survivors().iter().copied().filter(|&id| id != anchor).collect();
            let differences = estimator.differences(anchor, &others)?;
            above = others.iter().zip(&differences).map(|(&id, one)| (id, -one.evidence.estimate)).collect();
            above.push((anchor, 0.0));
            above.sort_by(|a: &(ChoiceId, f64), b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            stated.extend(differences);
            anchors.push(anchor);
            let best = above[0];
            if best.1 <= 0.0 || anchors.contains(&best.0) {
                break;
            }
            anchor = best.0;
        }
        let anchor = *anchors.last().expect("one anchor was tried");
        let leaders = self.leaders(anchor, &above);
        for &leader in leaders.iter().filter(|leader| !anchors.contains(leader)) {
            let known = |id: &ChoiceId| *id != leader && !anchors.contains(id);
            let others: Vec<ChoiceId> = self.ledger.survivors().iter().copied().filter(known).collect();
            stated.extend(estimator.differences(leader, &others)?);
        }
        let mut record = self.record(plan, statements, stated)?;
        let widths = self.widths(plan, &record);
        let standing = Standing { leaders, survivors: self.ledger.survivors().to_vec() };
        let differences = Differences::new(&record, &widths);
        let beaten = standing.beaten(self.question.goal, &anchors, &differences, plan.round);
        let leaders = standing.leaders;
        if beaten.len() == self.ledger.survivors().len() {
            return self.fall_back(plan, estimator, record, &widths);
        }
        let (eliminated, grounds): (Vec<Elimination>, Vec<Vec<Ground>>) = beaten.into_iter().unzip();
        record.grounds = grounds.concat();
        Ok(self.learned(plan, eliminated, leaders, Some(record)))
    }

    /// The anchor and the best others by estimate, until their groups hold as many choices as are wanted.
    fn leaders(&self, anchor: ChoiceId, above: &[(ChoiceId, f64)]) -> Vec<ChoiceId> {
        let mut leaders = vec![anchor];
        let mut held = self.ledger.groups().members(anchor).len();
        for &(id, _) in above.iter().filter(|(id, _)| *id != anchor) {
            if held >= self.wanted_count() {
                break;
            }
            held += self.ledger.groups().members(id).len();
            leaders.push(id);
        }
        leaders
    }

    /// Every survivor is beaten by some other: the statements contradict each other, which has probability δ_ℓ at most when the
    /// premises hold. One vector θ̂ that agrees with them as well as a vector can does not contradict itself; by Theorem 1 it needs
    /// twice the width.
    fn fall_back(
        &self,
        plan: &Plan,
        estimator: &Estimator<'_>,
        record: RoundRecord,
        widths: &[f64],
    ) -> Result<Learned, BanditError> {
        let pairs: Vec<(usize, Stated)> = record
            .statements
            .iter()
            .enumerate()
            .filter(|(_, one)| matches!(one.about, About::Pair(..)))
            .map(|(at, one)| (at, one.clone()))
            .collect();
        let stated: Vec<Stated> = pairs.iter().map(|(_, one)| one.clone()).collect();
        let fitted = estimator.min_max_fit(&stated)?;
        let estimate = |k: usize| fitted.as_ref().map_or(stated[k].evidence.estimate, |fit| fit[k]);
        // Against the first anchor everyone has a value.
        let About::Pair(anchor, _) = stated[0].about else { unreachable!("pairs were selected") };
        let value = |id: ChoiceId| {
            let with_anchor = stated.iter().position(|one| one.about == About::Pair(anchor, id));
            with_anchor.map_or(0.0, |k| -estimate(k))
        };
        let values: Vec<f64> = self.ledger.survivors().iter().map(|&id| value(id)).collect();
        let leader = self.ledger.survivors()[position_of_largest(&values)];
        let out = |(k, (at, one)): (usize, &(usize, Stated))| {
            let About::Pair(first, second) = one.about else { return None };
            let (sign, loser) = match (first == leader, second == leader) {
                (true, _) => (1.0, second),
                (_, true) => (-1.0, first),
                _ => return None,
            };
            let (difference, threshold) = (sign * estimate(k), 2.0 * widths[*at]);
            let elimination =
                Elimination { choice: loser, by: leader, difference, threshold, round: plan.round };
            (difference > threshold).then_some(elimination)
        };
        let eliminated: Vec<Elimination> = pairs.iter().enumerate().filter_map(out).collect();
        // What the statements say contradicts itself: it is not kept.
        Ok(Learned { circular: true, ..self.learned(plan, eliminated, vec![leader], None) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bandit::elimination::rips_best::RipsBest;
    use crate::numerics::Matrix;

    #[test]
    fn contradicting_statements_fall_back_to_one_vector_at_twice_the_width() {
        let pool = Pool::from_features(Matrix::identity(3)).unwrap();
        let assumptions = Assumptions::new(0.1).unwrap().bound(1.0).unwrap();
        let question = Question::new(pool, assumptions, Goal::Best { epsilon: 0.1 }).unwrap();
        let phases = Phases::new::<RipsBest>(question).unwrap();
        let round =
            Round { number: 1, epsilon: 0.2, gamma: Ridge::ZERO, gamma_is_fixed: true, left: u64::MAX };
        let plan = RipsBest::plan_round(&phases, &round).unwrap().unwrap();
        let outcomes: Vec<f64> =
            plan.measurements.points().iter().map(|id| [0.9, 0.6, -0.5][id.index()]).collect();
        let estimator = phases.estimator(&phases.question.pool, &plan, &outcomes, 6).unwrap();
        let ids: Vec<ChoiceId> = (0..3).map(ChoiceId::new).collect();
        let mut stated = estimator.differences(ids[1], &[ids[0], ids[2]]).unwrap();
        stated.extend(estimator.differences(ids[0], &ids[1..]).unwrap());
        let record = phases.record(&plan, 6, stated).unwrap();
        let widths = phases.widths(&plan, &record);
        let learned = phases.fall_back(&plan, &estimator, record, &widths).unwrap();
        // 1.4 above the third is more than two widths of 0.2, 0.3 above the second is not.
        assert_eq!(learned.decision.survivors, ids[..2]);
        assert_eq!(learned.standing.leaders, ids[..1]);
        let out = learned.decision.eliminated[0];
        assert!(out.threshold > 0.3 && out.difference > out.threshold, "{out:?}");
        assert!(learned.record.is_none() && learned.circular);
        let mut phases = phases;
        let decision = learned.decision.clone();
        phases.rounds.measured(&plan, 1);
        phases.pending = Some(learned);
        phases.apply(&decision);
        assert_eq!(phases.report().guarantee, crate::bandit::Guarantee::Withdrawn);
    }
}
