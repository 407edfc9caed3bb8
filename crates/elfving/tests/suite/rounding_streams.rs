//! Pinned values of the random streams. A change here changes what a recorded seed means: it is a deliberate event that
//! belongs in the changelog.

use elfving::numerics::rng::{Purpose, stream};
use elfving::pool::PointId;
use elfving::rounding::{Allocation, Draws, RoundingError, shuffled_slots};

fn ids(points: &[PointId]) -> Vec<usize> {
    points.iter().map(|id| id.index()).collect()
}

fn weights() -> Vec<(PointId, f64)> {
    [(7, 0.1), (2, 0.4), (3, 0.3), (5, 0.2)].map(|(i, weight)| (PointId::new(i), weight)).to_vec()
}

#[test]
fn the_streams_are_pinned() {
    let mut draws = stream(1, 0, Purpose::DRAWS);
    assert_eq!([draws.next_u64(), draws.next_u64()], [15141143180941124682, 10032051329283646056]);
    let mut order = stream(42, 7, Purpose::RUN_ORDER);
    assert_eq!([order.next_u64(), order.next_u64()], [8019929950175966487, 18368112615344161794]);
}

#[test]
fn the_draws_are_pinned() {
    let draws = Draws::new(&weights(), 16, 1).unwrap();
    assert_eq!(ids(draws.points()), [3, 5, 2, 3, 3, 2, 5, 7, 2, 5, 7, 2, 2, 2, 3, 3]);
    let draws = Draws::for_round(&weights(), 8, 1, 3).unwrap();
    assert_eq!(ids(draws.points()), [3, 2, 2, 5, 2, 2, 2, 3]);
}

#[test]
fn the_run_order_is_pinned() {
    let allocation =
        Allocation::new(vec![(PointId::new(0), 3), (PointId::new(4), 2), (PointId::new(9), 3)]).unwrap();
    assert_eq!(ids(&shuffled_slots(&allocation, 5)), [0, 0, 9, 9, 0, 4, 9, 4]);
}

#[test]
fn integer_weights_sum_to_two_to_the_thirty_two() {
    let draws = Draws::new(&weights(), 1, 0).unwrap();
    // 0.4 · 2³² = 1717986918.4 and so on; two are missing, and the largest remainders get them.
    let expected = [(2, 1717986918), (3, 1288490189), (5, 858993459), (7, 429496730)];
    assert_eq!(draws.integer_weights(), expected.map(|(i, weight)| (PointId::new(i), weight)));
    let thirds: Vec<_> = (0..3).map(|i| (PointId::new(i), 1.0)).collect();
    let draws = Draws::new(&thirds, 1, 0).unwrap();
    // One is missing; the remainders tie, and the smallest id gets it.
    let counts: Vec<u64> = draws.integer_weights().iter().map(|&(_, weight)| weight).collect();
    assert_eq!(counts, [1431655766, 1431655765, 1431655765]);
    assert_eq!(draws.probabilities().iter().map(|&(_, p)| p).sum::<f64>(), 1.0);
}

#[test]
fn draws_follow_their_weights() {
    let draws = Draws::new(&weights(), 100_000, 11).unwrap();
    for ((id, count), (same, probability)) in draws.counts().into_iter().zip(draws.probabilities()) {
        assert_eq!(id, same);
        let deviation = (count as f64 - 1e5 * probability) / (1e5 * probability * (1.0 - probability)).sqrt();
        assert!(deviation.abs() < 4.5, "point {id}: {count} draws");
    }
}

#[test]
fn a_run_order_is_a_permutation_and_every_one_is_as_likely() {
    let allocation = Allocation::new((0..4).map(|i| (PointId::new(i), 1)).collect()).unwrap();
    let mut seen = std::collections::BTreeMap::new();
    for seed in 0..24_000 {
        *seen.entry(ids(&shuffled_slots(&allocation, seed))).or_insert(0u32) += 1;
    }
    // 24 orders, 1000 each, standard deviation 31.
    assert_eq!(seen.len(), 24);
    assert!(seen.values().all(|count| count.abs_diff(1000) < 155), "{seen:?}");
}

#[test]
fn draws_survive_json_and_forgeries_do_not() {
    let draws = Draws::for_round(&weights(), 5, 9, 2).unwrap();
    let json = serde_json::to_string(&draws).unwrap();
    assert_eq!(serde_json::from_str::<Draws>(&json).unwrap(), draws);
    let forged = json.replace("1717986918", "1717986919");
    assert!(serde_json::from_str::<Draws>(&forged).unwrap_err().to_string().contains("2^32"));
    assert_eq!(Draws::new(&weights(), 0, 1).unwrap_err(), RoundingError::Budget { got: 0 });
    let twice = [(PointId::new(1), 0.5), (PointId::new(1), 0.5)];
    assert!(matches!(Draws::new(&twice, 3, 1).unwrap_err(), RoundingError::NamedTwice { .. }));
    let nan = [(PointId::new(1), f64::NAN)];
    assert!(matches!(Draws::new(&nan, 3, 1).unwrap_err(), RoundingError::Invalid(_)));
}
