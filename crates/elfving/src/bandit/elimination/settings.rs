//! What may be chosen about an elimination policy.

use serde::{Deserialize, Serialize};

/// Whose sample sizes and thresholds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Constants {
    /// Ours: exact sample sizes, decisions by the W(v) themselves, the achieved value of each design, centring on earlier
    /// rounds. Every decision is a theorem under the premises.
    #[default]
    Certified,
    /// Those printed in the paper (c₁ = 4, c₀² = 4, decisions by θ̂, thresholds in multiples of ε_ℓ), for comparison.
    Paper,
}

/// What a difference must exceed besides its noise, for a choice to go out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Thresholds {
    /// The bias that S and h allow: right when both are, and the sharpest.
    #[serde(alias = "vou\u{63}hed")] // the name before the word was ours
    Assumed,
    /// That, and never less than ε_ℓ, as in the paper: right as long as the true bias stays below ε_ℓ, whatever S and h are. The
    /// margins say how large they may be.
    Room,
}
