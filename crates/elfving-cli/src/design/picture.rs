//! The picture of a design.

use elfving_plot::{DesignView, Picture, design_picture};
use elfving_problem::Model;

use super::{Answer, summary};
use crate::error::CliError;
use crate::words::short;
use elfving::design::variance_function;

pub(super) fn draw(answer: &Answer) -> Result<Picture, CliError> {
    let loaded = answer.loaded;
    let weights = answer.design.weights(loaded.pool.len());
    let variance = variance_function(&loaded.pool, &weights, answer.design.gamma());
    let (coordinates, names) = loaded.coordinates();
    let title = format!(
        "{} on {} ({}, gamma {})",
        summary::kind(answer.design.criterion()),
        loaded.file_name(),
        loaded.data.model(),
        answer.design.gamma().get()
    );
    let subtitle = format!(
        "value {}, {}; {} of {} candidates carry weight",
        short(answer.design.certificate().value()),
        summary::standing(answer),
        answer.design.support().len(),
        loaded.pool.len(),
    );
    Ok(design_picture(&DesignView {
        title: &title,
        subtitle: &subtitle,
        coordinates,
        names: &names,
        // The features of a kernel matrix are alike; the user's columns have units of their own.
        same_unit: matches!(loaded.data.model(), Model::Matrix { .. })
            && coordinates.rows() == loaded.pool.len(),
        ids: &loaded.ids().iter().map(str::to_owned).collect::<Vec<_>>(),
        weights: weights.as_slice(),
        variance: &variance,
    })?)
}
