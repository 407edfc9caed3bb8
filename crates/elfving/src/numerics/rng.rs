//! Random streams by name: (seed, round, purpose) is the key of one ChaCha8 stream.
//!
//! Two purposes never share a stream, so adding a random choice somewhere changes no other choice. The
//! streams are part of the file format of a campaign: a test pins their values.

use std::convert::Infallible;

use rand::{Rng, SeedableRng, TryRng};
use rand_chacha::ChaCha8Rng;

/// What a stream is for: a short ASCII name, checked when the program is compiled.
///
/// ```
/// use elfving::numerics::rng::Purpose;
/// const NOISE: Purpose = Purpose::new("noise");
/// assert_eq!(NOISE.name(), "noise");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Purpose(&'static str);

impl Purpose {
    /// The independent draws from a design.
    pub const DRAWS: Purpose = Purpose::new("draws");
    /// The order in which measurements are made.
    pub const RUN_ORDER: Purpose = Purpose::new("run-order");

    /// Names a purpose.
    ///
    /// # Panics
    /// Unless the name has 1 to 16 characters, all ASCII.
    pub const fn new(name: &'static str) -> Self {
        assert!(!name.is_empty() && name.len() <= 16 && name.is_ascii(), "1 to 16 ASCII characters");
        Self(name)
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        self.0
    }
}

/// A stream of random words, made by [`stream`].
///
/// It is a generator of the `rand` crate too, for the distributions of `rand_distr`.
#[derive(Debug, Clone)]
pub struct Stream(ChaCha8Rng);

/// The stream of a seed, a round and a purpose: ChaCha8 under the key `seed ‖ round ‖ name`, numbers as eight
/// bytes (little-endian) and the name padded with zeros to sixteen.
///
/// ```
/// use elfving::numerics::rng::{Purpose, stream};
/// assert_eq!(stream(1, 2, Purpose::DRAWS).next_u64(), stream(1, 2, Purpose::DRAWS).next_u64());
/// assert_ne!(stream(1, 2, Purpose::DRAWS).next_u64(), stream(1, 2, Purpose::RUN_ORDER).next_u64());
/// ```
pub fn stream(seed: u64, round: u64, purpose: Purpose) -> Stream {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&round.to_le_bytes());
    key[16..16 + purpose.0.len()].copy_from_slice(purpose.0.as_bytes());
    Stream(ChaCha8Rng::from_seed(key))
}

impl Stream {
    /// The stream of a bare seed, for functions that make one random choice only.
    pub fn of_seed(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// 32 random bits.
    pub fn next_u32(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// A uniform integer in `0..n`, exactly: the high half of `n · u`, refused where it would be biased (Lemire 2019).
    ///
    /// # Panics
    /// When n = 0.
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "nothing lies below 0");
        let refused = n.wrapping_neg() % n;
        loop {
            let product = u128::from(self.next_u64()) * u128::from(n);
            if product as u64 >= refused {
                return (product >> 64) as u64;
            }
        }
    }

    /// Puts the items in random order, every order equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        // Fisher and Yates, from the end; written out so that the order is ours to keep.
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }

    /// Two independent standard normals (Box and Muller 1958).
    pub fn normal_pair(&mut self) -> (f64, f64) {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        let angle = std::f64::consts::TAU * self.uniform();
        (radius * angle.cos(), radius * angle.sin())
    }

    /// In the open interval (0, 1), so that its logarithm is finite: the middle of one of 2⁵³ equal cells.
    fn uniform(&mut self) -> f64 {
        ((self.next_u64() >> 11) as f64 + 0.5) * (-53f64).exp2()
    }
}

impl TryRng for Stream {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.0.next_u32())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.next_u64())
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill_bytes(out);
        Ok(())
    }
}

/// Standard normals one by one: both of every [pair](Stream::normal_pair).
#[derive(Debug, Clone)]
pub struct Normals {
    random: Stream,
    second: Option<f64>,
}

impl Normals {
    /// The normals of a stream.
    pub fn new(random: Stream) -> Self {
        Self { random, second: None }
    }

    /// The next one.
    pub fn draw(&mut self) -> f64 {
        self.second.take().unwrap_or_else(|| {
            let (first, second) = self.random.normal_pair();
            self.second = Some(second);
            first
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_below_n_are_uniform() {
        let mut random = stream(3, 0, Purpose::new("test"));
        let mut seen = [0u32; 6];
        for _ in 0..60_000 {
            seen[random.below(6) as usize] += 1;
        }
        // Standard deviation 91: five of them.
        assert!(seen.iter().all(|&count| count.abs_diff(10_000) < 455), "{seen:?}");
    }

    #[test]
    fn seed_round_and_purpose_all_change_the_stream() {
        let first = |seed, round, purpose| stream(seed, round, purpose).next_u64();
        let base = first(1, 1, Purpose::DRAWS);
        assert_ne!(base, first(2, 1, Purpose::DRAWS));
        assert_ne!(base, first(1, 2, Purpose::DRAWS));
        assert_ne!(base, first(1, 1, Purpose::RUN_ORDER));
    }

    #[test]
    fn the_moments_are_those_of_a_standard_normal() {
        let mut normals = Normals::new(stream(1, 0, Purpose::new("test")));
        let draws: Vec<f64> = (0..100_000).map(|_| normals.draw()).collect();
        let moment = |k: i32| draws.iter().map(|draw| draw.powi(k)).sum::<f64>() / 1e5;
        // Five standard errors each: 1, √2, √15, √96 over √1e5.
        assert!(moment(1).abs() < 0.016 && (moment(2) - 1.0).abs() < 0.023);
        assert!(moment(3).abs() < 0.062 && (moment(4) - 3.0).abs() < 0.155);
    }
}
