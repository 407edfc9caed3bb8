//! The picture of estimates with their intervals, sorted.

use elfving_plot::{Intervals, Picture, intervals_picture};

use super::{Answer, summary};
use crate::error::CliError;

pub(super) fn draw(answer: &Answer) -> Result<Picture, CliError> {
    let list = &answer.intervals.intervals;
    let of =
        |value: &dyn Fn(&elfving::estimate::Interval) -> f64| list.iter().map(value).collect::<Vec<f64>>();
    let labels: Vec<String> = (0..list.len()).map(|i| answer.loaded.choice_name(i).to_owned()).collect();
    Ok(intervals_picture(&Intervals {
        title: &summary::short_title(answer),
        subtitle: &summary::promise(answer),
        axis: answer.loaded.spec().outcome.as_deref().unwrap_or("estimated outcome"),
        labels: &labels,
        estimates: &of(&|interval| interval.estimate),
        low: &of(&|interval| interval.lower()),
        high: &of(&|interval| interval.upper()),
        smallest_first: false,
    })?)
}
