//! Designs as files: the names that `elfving design --json` uses, so that either program reads the other's.

use std::collections::HashMap;

use elfving::design::{self as core, Criterion, TargetRef};
use elfving::pool::PointId;
use elfving::units::Ridge;
use elfving_table::{LogBase, OneHot};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::candidates::PoolData;
use crate::design::{DesignData, Stated, Wanted};
use crate::failure::{Answer, Failure};

impl DesignData {
    /// The design with everything that `elfving certify` needs to build the problem again.
    pub(crate) fn document(&self) -> Value {
        let Stated { design, targets, tolerance, seconds } = &self.stated;
        let certificate = &design.certificate;
        let bound = if design.criterion.is_maximised() { "upper_bound" } else { "lower_bound" };
        let (ids, about) = (&self.data.about.ids, &self.data.about);
        let support: Vec<Value> = (design.support.iter())
            .map(|&(id, weight)| json!({"id": ids.name(id.index()), "weight": weight}))
            .collect();
        let share = |&(target, weight): &(TargetRef, f64)| match target {
            TargetRef::Row(i) => json!({"target": i, "weight": weight}),
            TargetRef::Pair(i, j) => json!({"pair": [i, j], "weight": weight}),
        };
        let target_weights: Vec<Value> = certificate.target_weights.iter().map(share).collect();
        let mut options = self.options();
        match targets {
            Wanted::All => {}
            Wanted::Some(rows) => {
                if let [row] = rows.as_slice() {
                    options.insert("target_id".to_owned(), json!(self.data.choices().name(*row)));
                } else {
                    options.insert("target_rows".to_owned(), json!(rows));
                }
            }
            Wanted::Direction(direction) => {
                options.insert("direction".to_owned(), json!(direction));
            }
        }
        let mut document = json!({
            "criterion": design.criterion,
            "gamma": design.gamma,
            "n": self.pool.len(),
            "dimension": self.pool.dimension(),
            "value": certificate.value,
            "relative_gap": certificate.relative_gap,
            "status": design.status,
            "iterations": design.iterations,
            "seconds": seconds,
            "support": support,
            "passes": design.passes,
            "method": design.method,
            "tolerance": tolerance,
            "checked_by": certificate.checked_by,
            "target_weights": target_weights,
            "kernel": about.model.kernel,
            "residual": self.pool.residual(),
            "feature_names": self.data.feature_names().unwrap_or_default(),
            "pool": "the pool",
            "options": options,
            "version": env!("CARGO_PKG_VERSION"),
        });
        document[bound] = json!(certificate.bound);
        document
    }

    /// The options of the command line that make the same pool.
    fn options(&self) -> Map<String, Value> {
        let about = &self.data.about;
        let mut options = Map::new();
        let mut insert = |name: &str, value: Value| options.insert(name.to_owned(), value);
        if let Some(columns) = &about.options {
            if let Some(id) = &columns.id {
                insert("id", json!(id));
            }
            if let Some(features) = &columns.features {
                insert("features", json!(features));
            }
            if !columns.exclude.is_empty() {
                insert("outcome", json!(columns.exclude));
            }
            match &columns.one_hot {
                OneHot::Nothing => {}
                OneHot::AllText => drop(insert("one_hot", json!([]))),
                OneHot::Columns(names) => drop(insert("one_hot", json!(names))),
            }
            let base = |base: &LogBase| match base {
                LogBase::Two => "2",
                LogBase::E => "e",
                LogBase::Ten => "10",
            };
            let logs = columns.log_scale.iter().map(|(name, of)| format!("{name}={}", base(of)));
            let logs: Vec<String> = logs.collect();
            if !logs.is_empty() {
                insert("log", json!(logs));
            }
            if columns.standardize {
                insert("standardize", json!(true));
            }
            let markers = columns.markers.iter().map(|marker| match marker.value {
                Some(value) => format!("{}={value}", marker.text),
                None => marker.text.clone(),
            });
            let markers: Vec<String> = markers.collect();
            if !markers.is_empty() {
                insert("missing", json!(markers));
            }
        }
        if let Some(degree) = about.model.polynomial {
            insert("polynomial_model", json!(degree));
            if about.model.interactions_only {
                insert("interactions_only", json!(true));
            }
        }
        if let Some(Value::Object(kernel)) = &about.model.kernel {
            for (name, value) in kernel {
                let value = match (name.as_str(), value) {
                    // One number, or one a feature, in one word.
                    ("lengthscale", Value::Array(list)) => {
                        json!(list.iter().map(shortest).collect::<Vec<_>>().join(","))
                    }
                    ("lengthscale", number) => json!(shortest(number)),
                    _ => value.clone(),
                };
                insert(name, value);
            }
        }
        let residual = self.data.residual(self.stated.design.gamma.get(), self.stated.tolerance);
        if let Some(residual) = residual {
            insert("residual", json!(residual));
        }
        options
    }
}

/// A number as the command line writes it: 1, not 1.0.
fn shortest(number: &Value) -> String {
    number.as_f64().map_or_else(|| number.to_string(), |number| number.to_string())
}

/// The fields of a design document that say what it states.
#[derive(Deserialize)]
struct Document {
    criterion: Criterion,
    gamma: Ridge,
    n: usize,
    value: f64,
    lower_bound: Option<f64>,
    upper_bound: Option<f64>,
    relative_gap: f64,
    status: core::Status,
    iterations: usize,
    seconds: f64,
    support: Vec<Share>,
    passes: usize,
    method: String,
    tolerance: f64,
    checked_by: core::CheckedBy,
    target_weights: Vec<TargetShare>,
    options: HashMap<String, Value>,
}

#[derive(Deserialize)]
struct Share {
    id: String,
    weight: f64,
}

#[derive(Deserialize)]
struct TargetShare {
    target: Option<usize>,
    pair: Option<(usize, usize)>,
    weight: f64,
}

pub(crate) fn read_document(document: &Value, data: &PoolData) -> Answer<Stated> {
    let refused = |what: String| Failure::data(format!("this is not a design: {what}"));
    let document: Document =
        serde_json::from_value(document.clone()).map_err(|error| refused(error.to_string()))?;
    if document.n != data.about.ids.len() {
        let message =
            format!("the design is for {} candidates, the pool has {}", document.n, data.about.ids.len());
        return Err(Failure::data(message));
    }
    let names: Vec<String> = document.support.iter().map(|share| share.id.clone()).collect();
    let rows = data.about.ids.rows(&names).map_err(|failure| match failure {
        Failure::Refused(_, message) => Failure::data(message),
        other => other,
    })?;
    let support = rows.into_iter().zip(&document.support);
    let target = |share: &TargetShare| match (share.target, share.pair) {
        (Some(row), _) => Ok((TargetRef::Row(row), share.weight)),
        (None, Some((i, j))) => Ok((TargetRef::Pair(i, j), share.weight)),
        (None, None) => Err(refused("a weight of no target".to_owned())),
    };
    let certificate = core::StatedCertificate {
        value: document.value,
        bound: document.lower_bound.or(document.upper_bound).ok_or_else(|| refused("no bound".to_owned()))?,
        relative_gap: document.relative_gap,
        target_weights: document.target_weights.iter().map(target).collect::<Answer<_>>()?,
        checked_by: document.checked_by,
    };
    let option = |name: &str| document.options.get(name).filter(|value| !value.is_null());
    let targets = match (option("direction"), option("target_id"), option("target_rows")) {
        (Some(direction), ..) => Wanted::Direction(
            serde_json::from_value(direction.clone()).map_err(|error| refused(error.to_string()))?,
        ),
        (None, Some(id), _) => {
            Wanted::Some(data.choices().rows(&[id.as_str().unwrap_or_default().to_owned()])?)
        }
        (None, None, Some(rows)) => {
            Wanted::Some(serde_json::from_value(rows.clone()).map_err(|error| refused(error.to_string()))?)
        }
        (None, None, None) => Wanted::All,
    };
    let design = core::StatedDesign {
        criterion: document.criterion,
        gamma: document.gamma,
        support: support.map(|(row, share)| (PointId::new(row), share.weight)).collect(),
        certificate,
        status: document.status,
        iterations: document.iterations,
        passes: document.passes,
        method: document.method,
    };
    Ok(Stated { design, targets, tolerance: document.tolerance, seconds: document.seconds })
}
