//! Whether a file is as it was written, and whether its record still says what its decisions say.

use serde::Serialize;

use crate::campaign::Campaign;
use crate::chain::Digest;
use crate::error::CampaignError;

/// What a check of a whole file found in order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verification {
    /// Events whose seals fit.
    pub events: u64,
    /// The seal of the last one.
    pub head: Digest,
    /// Attached files whose bytes fit their digests.
    pub attachments: usize,
    /// Decisions that were made again.
    pub rounds: usize,
    /// Rounds whose decisions are others when they are made again here. That is no damage: another machine may round the last
    /// digit differently, and what is on record stands.
    pub differing: Vec<u64>,
}

impl Campaign {
    /// Checks the pages of the file, every seal, every attached file, and replays every round.
    ///
    /// # Errors
    /// [`CampaignError::Damaged`] for the first thing that is not as it was written.
    pub fn verify(&self) -> Result<Verification, CampaignError> {
        self.store().check_pages()?;
        let events = self.log()?.len() as u64;
        let attachments = self.store().attachments()?.len();
        let state = self.state();
        let again = self.decided_again(&state.talk)?;
        let differs = state.decisions().zip(&again).filter(|(recorded, again)| recorded != again);
        let differing = differs.map(|(recorded, _)| recorded.round).collect();
        Ok(Verification { events, head: self.head().hash, attachments, rounds: again.len(), differing })
    }
}
