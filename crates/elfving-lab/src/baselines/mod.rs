//! What people compare with: well-known algorithms without a proof of ours behind them.
//!
//! One a file, all behind [`Policy`], sequential and in batches, on the regression of [`Regression`](elfving::bandit::Regression). In a
//! batch the means are held and the variances updated as if the earlier points of the batch had been measured (Desautels, Krause
//! and Burdick 2014), so that a batch does not ask one point over and over. Their reports say `no guarantee`.

mod bpe;
mod gp_ts;
mod gp_ucb;
mod greedy;
mod igp_ucb;
mod index;
mod kernel_ucb;
mod phased;
mod rage;
mod random;
mod record;
mod reds;

use elfving::bandit::{BanditError, Policy, Question};
use elfving::named::named_enum;

named_enum! {
    /// A baseline, by name. Each has a ridge of its own; the γ of the question is that of a design and is not used.
    ///
    /// ```
    /// use elfving::bandit::{Bandit, Goal, Question};
    /// use elfving_lab::baselines::Baseline;
    /// use elfving::{estimate::Assumptions, numerics::Matrix, pool::Pool};
    /// let pool = Pool::from_features(Matrix::identity(3))?;
    /// let question = Question::new(pool, Assumptions::new(0.1)?, Goal::Regret { horizon: Some(20) })?;
    /// let mut bandit = Bandit::new(Baseline::GpUcb.start(question)?);
    /// assert_eq!(bandit.ask(5)?.len(), 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub enum Baseline: "baseline" {
        /// `gp-ucb` (Srinivas, Krause, Kakade and Seeger 2010, Theorem 1): the largest `mean + √β_t · sd` of a Gaussian process with noise
        /// variance σ², `β_t = 2 ln(|X| t² π² / (6δ))`.
        GpUcb = "gp-ucb": "Upper confidence bounds of a Gaussian process",
        /// `igp-ucb` (Chowdhury and Gopalan 2017, Theorem 3): the largest `mean + β_t · sd` with noise variance `1 + 2/T` and
        /// `β_t = S + σ √(2 (γ_{t-1} + 1 + ln(1/δ)))`, γ_{t-1} half the log-determinant of the data.
        IgpUcb = "igp-ucb": "Upper confidence bounds with a norm bound",
        /// `gp-ts` (Thompson 1933; Chowdhury and Gopalan 2017, without their inflation): the best point of one joint draw from the
        /// posterior of GP-UCB.
        GpTs = "gp-ts": "Thompson sampling from a Gaussian process",
        /// `kernel-ucb` (Valko, Korda, Munos, Flaounas and Cristianini 2013): the largest `mean + η ‖φ‖` in the inverse of V, with
        /// `η = σ √(2 ln(2 T n / δ))` and ridge `(σ/S)²`.
        KernelUcb = "kernel-ucb": "Upper confidence bounds of kernel ridge regression",
        /// `bpe` (Li and Scarlett 2022): phases of `N_i = ⌈√(T N_{i-1})⌉` measurements of the largest variance, each fitted alone.
        Bpe = "bpe": "Batched pure exploration",
        /// `rage` (Fiez, Jain, Jamieson and Ratliff 2019): rounds of optimal XY designs and least squares; points and choices may
        /// differ.
        Rage = "rage": "Rounds of optimal XY designs and least squares",
        /// `reds` (Salgia, Vakili and Zhao 2024): phases of uniform draws from the points still in, twice as long each time.
        Reds = "reds": "Random exploration with domain shrinking",
        /// `random`: independent uniform draws, and ridge regression to choose with.
        Random = "random": "Independent uniform draws",
        /// `greedy`: the largest posterior mean, whatever is unknown; the first point is the one of largest variance.
        Greedy = "greedy": "The largest mean, whatever is unknown",
    }
}

impl Baseline {
    /// The policy.
    ///
    /// # Errors
    /// [`BanditError::ChoicesNotMeasurable`] when it cannot choose among points that it does not measure, and what is missing
    /// in the question.
    pub fn start(self, question: Question) -> Result<Box<dyn Policy>, BanditError> {
        use index::Indexed;
        use phased::Phased;
        Ok(match self {
            Baseline::GpUcb => Box::new(Indexed::new(gp_ucb::GpUcb, question)?),
            Baseline::IgpUcb => Box::new(Indexed::new(igp_ucb::IgpUcb::new(&question)?, question)?),
            Baseline::GpTs => Box::new(Indexed::new(gp_ts::GpTs, question)?),
            Baseline::KernelUcb => Box::new(Indexed::new(kernel_ucb::KernelUcb, question)?),
            Baseline::Bpe => Box::new(Phased::new(bpe::Bpe, question)?),
            Baseline::Rage => Box::new(rage::Rage::new(question)?),
            Baseline::Reds => Box::new(Phased::new(reds::Reds, question)?),
            Baseline::Random => Box::new(random::UniformRandom::new(question)?),
            Baseline::Greedy => Box::new(Indexed::new(greedy::Greedy, question)?),
        })
    }
}
