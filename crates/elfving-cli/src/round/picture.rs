//! The picture of a plan: that of a design whose weights are the shares of the measurements.

use elfving::units::Simplex;
use elfving_plot::{DesignView, Picture, design_picture};
use elfving_problem::Model;

use super::{Answer, summary};
use crate::error::CliError;
use elfving::design::variance_function;

pub(super) fn draw(answer: &Answer) -> Result<Picture, CliError> {
    let loaded = answer.loaded;
    let mut shares = vec![0.0; loaded.pool.len()];
    for (id, count) in answer.plan.counts() {
        shares[id.index()] += count as f64;
    }
    let new = Simplex::new(shares.clone())?;
    for &(id, count) in &answer.limits.constraints.done {
        shares[id.index()] += count as f64;
    }
    let variance = variance_function(&loaded.pool, &Simplex::new(shares)?, answer.design.gamma);
    let (coordinates, names) = loaded.coordinates();
    Ok(design_picture(&DesignView {
        title: &summary::title(answer),
        subtitle: &summary::standing(answer),
        coordinates,
        names: &names,
        same_unit: matches!(loaded.data.model(), Model::Matrix { .. })
            && coordinates.rows() == loaded.pool.len(),
        ids: &loaded.ids().iter().map(str::to_owned).collect::<Vec<_>>(),
        weights: new.as_slice(),
        variance: &variance,
    })?)
}
