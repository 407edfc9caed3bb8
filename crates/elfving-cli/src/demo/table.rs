//! The table of the demonstration: 1,040 polymer blends and how much each degraded (see `demo/README.md` of this crate).

use std::collections::HashMap;

use elfving::numerics::rng::{Purpose, stream};
use rand_distr::{Distribution, StandardNormal};

/// The table as it ships.
pub(super) const CSV: &str = include_str!("../../demo/photo_pce10.csv");
/// Its licence.
pub(super) const LICENCE: &str = include_str!("../../demo/photo_pce10.LICENSE");
/// The column that is measured.
pub(super) const OUTCOME: &str = "degradation";

/// The standard deviation of one measurement: what the films differ by that are in the table twice.
const NOISE: f64 = 0.01;

/// What a measurement gives: the value of the table, and noise.
pub(super) struct World {
    means: HashMap<&'static str, f64>,
    seed: u64,
}

impl World {
    pub(super) fn new(seed: u64) -> Self {
        let line = |line: &'static str| {
            let (id, rest) = line.split_once(',').expect("a line of the table has cells");
            let value = rest.rsplit(',').next().expect("and a last one");
            (id, value.parse().expect("which is a number"))
        };
        Self { means: CSV.lines().skip(1).map(line).collect(), seed }
    }

    /// One measurement; the noise depends on the slot alone.
    pub(super) fn measure(&self, slot: &str, id: &str) -> f64 {
        let number = elfving_table::slot_index(slot).expect("a slot of the campaign") as u64;
        let noise: f64 = StandardNormal.sample(&mut stream(self.seed, number, Purpose::new("demo-noise")));
        self.mean(id) + NOISE * noise
    }

    pub(super) fn mean(&self, id: &str) -> f64 {
        self.means[id]
    }

    /// The smallest value and its candidate.
    pub(super) fn best(&self) -> (&'static str, f64) {
        let smallest = self.means.iter().min_by(|a, b| a.1.total_cmp(b.1));
        smallest.map(|(id, value)| (*id, *value)).expect("the table has rows")
    }

    pub(super) fn median(&self) -> f64 {
        let mut values: Vec<f64> = self.means.values().copied().collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    }

    pub(super) fn better_than(&self, value: f64) -> usize {
        self.means.values().filter(|other| **other < value).count()
    }

    pub(super) fn candidates(&self) -> usize {
        self.means.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_one_that_was_published() {
        let world = World::new(1);
        assert_eq!(world.candidates(), 1040);
        assert_eq!((world.mean("B0001"), world.mean("B0002")), (0.189_174_654, 0.113_557_828));
        assert_eq!(world.best().1, 0.001_622_641);
        assert_eq!(world.better_than(world.best().1), 0);
        assert!(LICENCE.contains("MIT License"));
    }

    #[test]
    fn a_slot_gives_the_same_outcome_whenever_it_is_measured_and_noise_of_its_size() {
        let world = World::new(1);
        assert_eq!(world.measure("S0001C", "B0001"), World::new(1).measure("S0001C", "B0001"));
        let slots: Vec<String> = (0..2000).map(elfving_table::slot_name).collect();
        let off = |slot: &String| world.measure(slot, "B0001") - world.mean("B0001");
        let variance = slots.iter().map(|slot| off(slot).powi(2)).sum::<f64>() / 2000.0;
        assert!((variance.sqrt() / NOISE - 1.0).abs() < 0.05, "{variance}");
    }
}
