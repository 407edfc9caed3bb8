//! Random streams by name: (seed, round, purpose) is the key of one ChaCha8 stream.
//!
//! Two purposes never share a stream, so adding a random choice somewhere changes no other choice. The
//! streams are part of the file format of a campaign: a test pins their values.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What a stream is for: a short ASCII name, checked when the program is compiled.
///
/// ```
/// use elfving::rounding::Purpose;
/// const NOISE: Purpose = Purpose::new("noise");
/// assert_eq!(NOISE.name(), "noise");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Purpose(&'static str);

impl Purpose {
    /// The i.i.d. draws of [`Draws`](super::Draws).
    pub const DRAWS: Purpose = Purpose::new("draws");
    /// The order of [`shuffled_slots`](super::shuffled_slots).
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

/// The stream of a seed, a round and a purpose: ChaCha8 under the key `seed ‖ round ‖ name`, numbers as eight
/// bytes (little-endian) and the name padded with zeros to sixteen.
///
/// ```
/// use elfving::rounding::{Purpose, stream};
/// use rand::Rng;
/// assert_eq!(stream(1, 2, Purpose::DRAWS).next_u64(), stream(1, 2, Purpose::DRAWS).next_u64());
/// assert_ne!(stream(1, 2, Purpose::DRAWS).next_u64(), stream(1, 2, Purpose::RUN_ORDER).next_u64());
/// ```
pub fn stream(seed: u64, round: u64, purpose: Purpose) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&round.to_le_bytes());
    key[16..16 + purpose.0.len()].copy_from_slice(purpose.0.as_bytes());
    ChaCha8Rng::from_seed(key)
}

/// A uniform integer in `0..n`, exactly: the high half of `n · u`, refused where it would be biased (Lemire 2019).
///
/// # Panics
/// When n = 0.
pub fn below(random: &mut impl Rng, n: u64) -> u64 {
    assert!(n > 0, "nothing lies below 0");
    let refused = n.wrapping_neg() % n;
    loop {
        let product = u128::from(random.next_u64()) * u128::from(n);
        if product as u64 >= refused {
            return (product >> 64) as u64;
        }
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
            seen[below(&mut random, 6) as usize] += 1;
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
}
