//! How the attached files become a pool, the same on every machine.

use elfving_problem::{Dataset, Model, PoolSpec, Source};
use elfving_table::{PoolOptions, ReadOptions};
use serde::{Deserialize, Serialize};

use crate::chain::Digest;
use crate::error::CampaignError;
use crate::store::Attachment;

/// Which files, which columns, which model. Nothing in it is left to be guessed again: a kernel has its parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// The table of candidates.
    pub pool: Digest,
    /// The table to choose among, where it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub targets: Option<Digest>,
    /// Tables of candidates that were added later, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<Digest>,
    /// How the files are read.
    pub reading: ReadOptions,
    /// Which columns are what.
    pub columns: PoolOptions,
    /// What is made of the columns.
    pub model: Model,
}

impl Recipe {
    /// A recipe for a table of candidates, linear in its columns.
    pub fn new(pool: &Attachment, reading: ReadOptions, columns: PoolOptions) -> Self {
        Self { pool: pool.digest(), targets: None, more: Vec::new(), reading, columns, model: Model::Linear }
    }

    /// Chooses among the rows of another table.
    #[must_use]
    pub fn targets(mut self, targets: &Attachment) -> Self {
        self.targets = Some(targets.digest());
        self
    }

    /// Sets the model.
    #[must_use]
    pub fn model(mut self, model: Model) -> Self {
        self.model = model;
        self
    }

    /// How the files are read, as every shell says it.
    pub fn pool_spec(&self) -> PoolSpec {
        PoolSpec {
            reading: self.reading.clone(),
            columns: self.columns.clone(),
            model: self.model.clone(),
            outcome: None,
        }
    }

    /// Reads the files, which `file` finds by their digests. The column `outcome` is no feature; what is forbidden is neither measured nor chosen.
    ///
    /// # Errors
    /// [`CampaignError::Table`] for a table that is refused, [`CampaignError::UnknownCandidate`] for a forbidden id that is
    /// not in it, [`CampaignError::Setting`] when nothing is left.
    pub fn read(
        &self,
        file: impl Fn(&Digest) -> Result<Attachment, CampaignError>,
        outcome: &str,
        forbidden: &[String],
    ) -> Result<Dataset, CampaignError> {
        let mut spec = self.pool_spec();
        let source = |digest| file(digest).map(|Attachment { name, bytes }| Source::Bytes { name, bytes });
        let pool = source(&self.pool)?;
        let table = spec.read(&pool)?;
        spec.leave_out(outcome, &table);
        let targets = self.targets.as_ref().map(source).transpose()?;
        let target_table = targets.map(|targets| spec.read_targets(&targets)).transpose()?;
        // The kernel of a recipe has its parameters: the seed decides nothing.
        let mut dataset = Dataset::from_tables(table, target_table, spec, 0)?.without(forbidden)?;
        for digest in &self.more {
            let more = dataset.spec().read(&source(digest)?)?;
            dataset = dataset.extended(&more)?;
        }
        Ok(dataset)
    }
}
