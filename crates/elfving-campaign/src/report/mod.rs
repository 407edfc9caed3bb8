//! The report: one HTML file that needs nothing else, for the meeting and for the files.

mod facts;
mod figures;
mod page;
mod words;

pub use words::number;

use crate::at::At;
use crate::campaign::Campaign;
use crate::error::CampaignError;

impl Campaign {
    /// The report as one HTML document: where the campaign stands and what to do now, the statement with every assumption,
    /// what remains with its intervals, pictures, every slot and its result, and the log.
    ///
    /// The document loads nothing and runs no script. `at` is the time it is made.
    ///
    /// # Errors
    /// Those of [`status`](Self::status) and [`log`](Self::log).
    pub fn html(&mut self, at: At) -> Result<String, CampaignError> {
        let facts = facts::Facts::gather(self)?;
        let figures = figures::draw(&facts);
        Ok(page::document(&facts, &figures, at).into_string())
    }
}
