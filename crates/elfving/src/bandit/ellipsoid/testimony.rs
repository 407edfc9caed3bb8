//! What the outcomes testify: the theorem behind every certified bound.
//!
//! A witness j hears the measurements `I_j` that the class could predict well, `q_s ≤ τ_j`; whether it hears one is settled before the
//! outcome. With probability 1 - δ, for all times and all witnesses at once, whatever rule chose the points,
//!
//! ```text
//! Σ_{s in I_j} w_s (y_s - f(x_s))² ≤ β_j = 2σ² ln(1/(p_j δ)) - 2σ² ln Σ_i π_i exp(-Σ_{s in I_j} [e_is²/(1 + q_is) + σ² ln(1 + q_is)] / 2σ²)
//! ```
//!
//! for the true means f, where bettor i of share `π_i` bet `N(m_is, σ² q_is)` and was surprised by `e_is`. The first measurements
//! teach, the later ones testify. Proof: `docs/ellipsoid.md`.

use super::bets::{Bet, Bettor, LAST_OF_THE_BANK, Loss, bettors};
use super::theorem::charged_residuals;
use super::width::norm_of;
use crate::bandit::{BetRecord, Question};
use crate::estimate::Assumptions;
use crate::numerics::{Matrix, first_largest};
use crate::pool::{PointId, Pool};
use crate::units::Confidence;

/// τ: variances in units of σ². Pure numbers, fixed here and never tuned on data (docs/ellipsoid.md has the measurement).
const THRESHOLDS: [f64; 5] = [f64::INFINITY, 1.0, 0.3, 0.1, 0.03];
/// How many witnesses there are, each with the same share of δ.
pub(super) const WITNESSES: usize = THRESHOLDS.len();

/// What one witness heard.
#[derive(Debug, Clone)]
pub(super) struct Witness {
    threshold: f64,
    /// Measured points in the order of their first hearing.
    points: Vec<Heard>,
    /// Where a point stands in that list.
    place: Vec<Option<u32>>,
    /// Measurements.
    pub(super) samples: u64,
    /// `Σ w`.
    pub(super) mass: f64,
    /// `Σ w r` with r the part of k(x, x) that the features of its point leave out.
    left_out: f64,
    /// `Σ w (y - mean of its point)²`.
    pub(super) within: f64,
    /// What each bettor lost.
    losses: Vec<Loss>,
}

/// One point: its weight so far and its weighted mean.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heard {
    pub(super) point: PointId,
    pub(super) mass: f64,
    pub(super) mean: f64,
}

impl Witness {
    fn new(threshold: f64, points: usize, bettors: usize) -> Self {
        Self {
            threshold,
            points: Vec::new(),
            place: vec![None; points],
            samples: 0,
            mass: 0.0,
            left_out: 0.0,
            within: 0.0,
            losses: vec![Loss::default(); bettors],
        }
    }

    /// Whether it hears a measurement, by what the class bets on it.
    fn hears(&self, bet: &Bet) -> bool {
        bet.variance <= self.threshold
    }

    fn hear(&mut self, point: PointId, mean: f64, weight: f64, times: u64, residual: f64, losses: &[Loss]) {
        let next = self.points.len() as u32;
        let place = *self.place[point.index()].get_or_insert(next);
        if place == next {
            self.points.push(Heard { point, mass: 0.0, mean: 0.0 });
        }
        let heard = &mut self.points[place as usize];
        heard.mass += weight;
        let step = mean - heard.mean;
        heard.mean += weight / heard.mass * step;
        self.within += weight * step * (mean - heard.mean);
        self.mass += weight;
        self.left_out += weight * residual;
        self.samples += times;
        self.losses.iter_mut().zip(losses).for_each(|(sum, loss)| sum.add(*loss));
    }

    /// What each bettor lost.
    #[cfg(test)]
    pub(super) fn losses(&self) -> &[Loss] {
        &self.losses
    }

    /// What was heard of each point.
    pub(super) fn points(&self) -> &[Heard] {
        &self.points
    }
}

/// All witnesses, and all that bet.
#[derive(Debug, Clone)]
pub(super) struct Testimony {
    pool: Pool,
    /// What the features of each point leave out of k(x, x).
    residuals: Vec<f64>,
    bettors: Vec<Bettor>,
    witnesses: Vec<Witness>,
    samples: u64,
}

impl Testimony {
    pub(super) fn new(question: &Question, ridge: f64) -> Self {
        let bettors = bettors(question, ridge);
        let witness = |threshold| Witness::new(threshold, question.pool.len(), bettors.len());
        Self {
            pool: question.pool.clone(),
            residuals: charged_residuals(&question.pool)[0].clone(),
            witnesses: THRESHOLDS.map(witness).to_vec(),
            bettors,
            samples: 0,
        }
    }

    /// Takes in the mean of `times` measurements of a point, each of weight `w`.
    pub(super) fn take(&mut self, point: PointId, mean: f64, times: u64, w: f64) {
        let features: &Matrix = self.pool.features();
        let weight = w * times as f64;
        let bettors = if self.samples < LAST_OF_THE_BANK { self.bettors.len() } else { 1 };
        let bets: Vec<Bet> =
            self.bettors[..bettors].iter().map(|bettor| bettor.bet(features, point, weight)).collect();
        // Who hears it is settled here, before the outcome is looked at.
        let hearing: Vec<bool> = self.witnesses.iter().map(|witness| witness.hears(&bets[0])).collect();
        let outcome = weight.sqrt() * mean;
        let mut losses: Vec<Loss> = bets.iter().map(|bet| bet.loss(outcome)).collect();
        losses.resize(self.bettors.len(), losses[0]);
        for (witness, _) in self.witnesses.iter_mut().zip(hearing).filter(|(_, hears)| *hears) {
            witness.hear(point, mean, weight, times, self.residuals[point.index()], &losses);
        }
        for (bettor, bet) in self.bettors.iter_mut().zip(bets) {
            bettor.learn(bet, outcome);
        }
        self.samples += times;
    }

    /// The model of the bank that predicted best so far, where there is a bank and it still learns.
    pub(super) fn best_of_the_bank(&self, sigma: f64) -> Option<&Bettor> {
        let variance = sigma * sigma;
        let losses = &self.witnesses[0].losses;
        let score = |(bettor, loss): (&Bettor, &Loss)| match bettor.is_of_the_bank() {
            true => -(loss.surprise / variance + loss.spread),
            false => f64::NEG_INFINITY,
        };
        let scores: Vec<f64> = self.bettors.iter().zip(losses).map(score).collect();
        let best = &self.bettors[first_largest(&scores)?];
        (best.is_of_the_bank() && self.samples < LAST_OF_THE_BANK).then_some(best)
    }

    /// What every model that bets has earned so far, by the witness that heard everything. Those of one name are one: the sum of their
    /// shares, and what the mixture of them earned.
    pub(super) fn bets(&self, sigma: f64) -> Vec<BetRecord> {
        let variance = sigma * sigma;
        let losses = &self.witnesses[0].losses;
        if !(variance > 0.0) {
            return Vec::new();
        }
        let nats = |loss: &Loss| -0.5 * (loss.surprise / variance + loss.spread);
        let mut records: Vec<BetRecord> = Vec::new();
        for (bettor, loss) in self.bettors.iter().zip(losses) {
            let (name, share) = (bettor.name(), bettor.log_share.exp());
            let ahead = nats(loss) - nats(&losses[0]);
            match records.iter_mut().find(|record| record.name == name) {
                Some(known) => {
                    let (a, b) = (known.share.ln() + known.nats, share.ln() + ahead);
                    let mixed = a.max(b) + (-(a - b).abs()).exp().ln_1p();
                    known.share += share;
                    known.nats = mixed - known.share.ln();
                }
                None => {
                    let believed = bettor.is_believed();
                    records.push(BetRecord { name: name.to_owned(), share, nats: ahead, believed });
                }
            }
        }
        records
    }

    pub(super) fn witnesses(&self) -> &[Witness] {
        &self.witnesses
    }

    /// What was lost so far, apart from the data.
    pub(super) fn evidence(&self, delta: Confidence, share: f64) -> Evidence {
        Evidence {
            bettors: self.bettors.iter().map(|bettor| (bettor.log_share, bettor.name().to_owned())).collect(),
            heard: self.witnesses.iter().map(Account::of).collect(),
            log_confidence: -(delta.delta() * share / WITNESSES as f64).ln(),
        }
    }
}

/// What each bettor lost with each witness, at one time: `β_j` for any σ, S and h.
#[derive(Debug, Clone)]
pub(super) struct Evidence {
    /// ln of the share and the name of each.
    bettors: Vec<(f64, String)>,
    heard: Vec<Account>,
    /// `ln(1/(p_j δ))`.
    pub(super) log_confidence: f64,
}

/// One witness: `Σ w`, `Σ w r` with r what the features leave out of k(x, x), and what each bettor lost.
#[derive(Debug, Clone)]
struct Account {
    mass: f64,
    left_out: f64,
    losses: Vec<Loss>,
}

impl Account {
    fn of(witness: &Witness) -> Self {
        Self { mass: witness.mass, left_out: witness.left_out, losses: witness.losses.clone() }
    }
}

/// What the mixture of the bets lost with one witness.
pub(super) struct Stakes {
    /// `-2σ² ln Σ_i π_i exp(-loss_i / 2σ²)`.
    pub(super) loss: f64,
    /// The bettor with the largest part in it.
    pub(super) leader: usize,
}

impl Evidence {
    pub(super) fn stakes(&self, j: usize, sigma: f64) -> Stakes {
        let variance = sigma * sigma;
        let losses = &self.heard[j].losses;
        if !(variance > 0.0) {
            return Stakes { loss: losses[0].surprise, leader: 0 };
        }
        let log = |((log_share, _), loss): (&(f64, String), &Loss)| {
            log_share - 0.5 * (loss.surprise / variance + loss.spread)
        };
        let logs: Vec<f64> = self.bettors.iter().zip(losses).map(log).collect();
        let leader = first_largest(&logs).unwrap_or(0);
        let largest = logs[leader];
        let sum: f64 = logs.iter().map(|log| (log - largest).exp()).sum();
        Stakes { loss: -2.0 * variance * (largest + sum.ln()), leader }
    }

    /// `β_j`: what the squared residuals of the class may be at most. A misspecification h adds `h √Σw` to its root, and what features
    /// leave out `S √Σ w r`.
    pub(super) fn limit(&self, j: usize, assumed: &Assumptions) -> f64 {
        let sigma = assumed.sigma_bound();
        let limit = 2.0 * sigma * sigma * self.log_confidence + self.stakes(j, sigma).loss;
        let Account { mass, left_out, .. } = self.heard[j];
        let truncated = if left_out > 0.0 { left_out.sqrt() * norm_of(assumed) } else { 0.0 };
        let off = assumed.h() * mass.sqrt() + truncated;
        if off > 0.0 {
            let root = limit.max(0.0).sqrt() + off;
            return root * root;
        }
        limit
    }

    /// The bettor that did best with witness j, in words.
    pub(super) fn best_bettor(&self, j: usize, sigma: f64) -> &str {
        &self.bettors[self.stakes(j, sigma).leader].1
    }
}
