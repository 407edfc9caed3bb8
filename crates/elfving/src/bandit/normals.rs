//! Standard normals from a stream, by the method of Box and Muller.

use rand::Rng;

pub(super) struct Normals<R> {
    random: R,
    second: Option<f64>,
}

impl<R: Rng> Normals<R> {
    pub(super) fn new(random: R) -> Self {
        Self { random, second: None }
    }

    pub(super) fn next(&mut self) -> f64 {
        if let Some(second) = self.second.take() {
            return second;
        }
        // In (0, 1): the logarithm is finite.
        let mut uniform = || ((self.random.next_u64() >> 11) as f64 + 0.5) * (-53f64).exp2();
        let radius = (-2.0 * uniform().ln()).sqrt();
        let angle = 2.0 * std::f64::consts::PI * uniform();
        self.second = Some(radius * angle.sin());
        radius * angle.cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rounding::{Purpose, stream};

    #[test]
    fn the_moments_are_those_of_a_standard_normal() {
        let mut normals = Normals::new(stream(1, 0, Purpose::new("test")));
        let draws: Vec<f64> = (0..100_000).map(|_| normals.next()).collect();
        let moment = |k: i32| draws.iter().map(|draw| draw.powi(k)).sum::<f64>() / 1e5;
        // Five standard errors each: 1, √2, √15, √96 over √1e5.
        assert!(moment(1).abs() < 0.016 && (moment(2) - 1.0).abs() < 0.023);
        assert!(moment(3).abs() < 0.062 && (moment(4) - 3.0).abs() < 0.155);
    }
}
