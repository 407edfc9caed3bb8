//! Settings in and answers out as JSON, the form that files have too.

use serde::{Deserialize, Serialize};

use crate::failure::{Answer, Failure};

/// Settings that the Python layer writes as JSON.
pub(crate) fn parsed<T: for<'a> Deserialize<'a>>(what: &str, json: &str) -> Answer<T> {
    serde_json::from_str(json).map_err(|error| Failure::option(format!("{what}: {error}")))
}

/// A value of the library as JSON.
pub(crate) fn to_json(value: &impl Serialize) -> Answer<String> {
    serde_json::to_string(value).map_err(|error| Failure::internal(&error.to_string()))
}
