//! Answers as files: stable names, a schema number, and no field that the reader does not know.
//!
//! Every shell writes and reads the same documents, so that either program takes the other's. A document says everything that is needed to
//! build its problem again but the tables themselves.

mod design;
mod estimate;
mod plan;

pub use design::{DesignDocument, Options, TargetWeight, Weight};
pub use estimate::{Account, Assumption, Estimate, EstimateDocument};
pub use plan::{Count, Done, IntegerWeight, PlanDocument};

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::ProblemError;

/// The schema that this version writes, and the newest that it reads.
pub const SCHEMA: u32 = 2;

/// Reads a document: its schema first, then every field.
fn parse<T: DeserializeOwned>(what: &'static str, bytes: &[u8]) -> Result<T, ProblemError> {
    let not = |problem: String| ProblemError::NotADocument { what, problem };
    let value: Value = serde_json::from_slice(bytes).map_err(|error| not(error.to_string()))?;
    match value.get("schema").map(Value::as_u64) {
        Some(Some(schema)) if schema > u64::from(SCHEMA) => {
            let schema = u32::try_from(schema).unwrap_or(u32::MAX);
            return Err(ProblemError::NewerDocument { what, schema, known: SCHEMA });
        }
        Some(Some(schema)) if schema == u64::from(SCHEMA) => {}
        _ => return Err(not("it has no schema of this version; compute it again".to_owned())),
    }
    serde_json::from_value(value).map_err(|error| not(error.to_string()))
}
