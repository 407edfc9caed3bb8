//! Candidates from factors: what is enumerated, what a fraction balances, what a sample fills.

use std::collections::BTreeSet;

use elfving_problem::factors::{Factor, Factors, MOST_ROWS, Mixture, SampleMethod, Selection};
use elfving_problem::{Dataset, PoolSpec, ProblemError, Source};
use elfving_table::{ReadOptions, Table, read_bytes};

fn factors(texts: &[&str]) -> Factors {
    Factors::new(texts.iter().map(|text| Factor::parse(text, 3).unwrap()).collect(), vec![]).unwrap()
}

fn lines(table: &Table) -> Vec<String> {
    let csv = table.write_csv(Vec::new(), table.dialect()).unwrap();
    String::from_utf8(csv).unwrap().lines().map(str::to_owned).collect()
}

fn sample(factors: &Factors, rows: usize, method: SampleMethod, seed: u64) -> Table {
    factors.clone().select(Selection::Sample { rows, method, seed }).table().unwrap()
}

#[test]
fn every_combination_is_there_once_and_the_last_factor_changes_fastest() {
    let table = factors(&["temp=20:60:20", "base=K2CO3,KOAc"]).table().unwrap();
    let expected = [
        "id,temp,base",
        "c1,20,K2CO3",
        "c2,20,KOAc",
        "c3,40,K2CO3",
        "c4,40,KOAc",
        "c5,60,K2CO3",
        "c6,60,KOAc",
    ];
    assert_eq!(lines(&table), expected);
}

#[test]
fn levels_are_the_decimals_that_people_write() {
    let tenths = factors(&["x=0:1:0.1"]).table().unwrap().numbers("x").unwrap();
    let written: Vec<f64> = (0..=10).map(|i| format!("{}.{}", i / 10, i % 10).parse().unwrap()).collect();
    assert_eq!(tenths, written, "no 0.30000000000000004");
    assert_eq!(factors(&["x=-1:1"]).table().unwrap().numbers("x").unwrap(), [-1.0, 0.0, 1.0]);
    assert_eq!(factors(&["x=5,1,2.5"]).table().unwrap().numbers("x").unwrap(), [5.0, 1.0, 2.5]);
}

#[test]
fn what_cannot_be_meant_is_refused_with_what_to_write() {
    let refused = |text: &str| {
        let error = Factor::parse(text, 3).unwrap_err();
        format!("{error} / {}", error.help)
    };
    assert_eq!(
        refused("temp=20:100:30"),
        "temp does not reach 100 from 20 in steps of 30: the last level is 80 / write 20:80:30, or another step"
    );
    assert!(refused("temp").contains("has no levels"));
    assert!(refused("temp=100:20:10").contains("give low, high and a step above 0"));
    assert!(refused("temp=1,2,1.0").contains("the level 1 twice"));
    assert!(refused("base=a,,b").contains("a level that is empty"));
    assert!(refused("temp=0:1:1e-9").contains("larger step"));
    assert!(Mixture::parse("A,B:0.3").unwrap_err().to_string().contains("does not reach 1 in whole steps"));
    assert!(Mixture::parse("A:0.5").unwrap_err().to_string().contains("at least two columns"));
    assert!(Factors::new(vec![], vec![]).is_err());
    let twice = vec![Factor::parse("a=1,2", 3).unwrap(), Factor::parse("a=1,2", 3).unwrap()];
    assert_eq!(Factors::new(twice, vec![]).unwrap_err().to_string(), "two factors are called \"a\"");
    assert!(factors(&["x=1,2"]).id("x").is_err());
}

#[test]
fn mixtures_are_all_ways_to_share_the_whole() {
    let mixture = Mixture::parse("A,B,C:0.05").unwrap();
    let table = Factors::new(vec![], vec![mixture]).unwrap().table().unwrap();
    let parts: Vec<Vec<f64>> = ["A", "B", "C"].iter().map(|name| table.numbers(name).unwrap()).collect();
    let found: BTreeSet<[i64; 3]> =
        (0..table.rows()).map(|row| [0, 1, 2].map(|k| (parts[k][row] * 20.0).round() as i64)).collect();
    // By three loops instead of by number.
    let mut expected = BTreeSet::new();
    for a in 0..=20 {
        for b in 0..=20 - a {
            expected.insert([a, b, 20 - a - b]);
        }
    }
    assert_eq!((found, table.rows()), (expected, 231));
}

#[test]
fn conditions_keep_what_they_say_in_every_block() {
    // 90,000 combinations, more than one block; levels of `kind` change slowest, so that a block does not have all of them.
    let all = factors(&["kind=a,b,c", "x=0:99:1", "y=0:299:1"]);
    let some = all.clone().only("kind = 'c' or x + y <= 10".parse().unwrap());
    let table = some.table().unwrap();
    let few = (0..=10).map(|x| 11 - x).sum::<usize>();
    assert_eq!(table.rows(), 30_000 + 2 * few);
    assert_eq!(table.texts("id").unwrap()[0], "c00001");
    let blocks: usize = some.rows().unwrap().blocks().map(|block| block.rows()).sum();
    assert_eq!(blocks, table.rows());
    let misspelt = all.clone().only("kind = 'd'".parse().unwrap()).rows().unwrap_err();
    assert!(misspelt.to_string().contains("\"d\""), "{misspelt}");
    let nothing = all.only("x > 1000".parse().unwrap()).rows().unwrap_err();
    assert_eq!(nothing.to_string(), "no combination of the levels meets every condition");
}

/// Every pair of columns has every pair of levels equally often.
fn is_balanced(table: &Table, names: &[&str]) -> bool {
    let columns: Vec<Vec<String>> = names.iter().map(|name| table.texts(name).unwrap()).collect();
    (0..names.len()).all(|i| {
        (0..i).all(|j| {
            let mut counts = std::collections::BTreeMap::new();
            columns[i].iter().zip(&columns[j]).for_each(|pair| *counts.entry(pair).or_insert(0) += 1);
            let levels = |k: usize| columns[k].iter().collect::<BTreeSet<_>>().len();
            counts.len() == levels(i) * levels(j) && counts.values().collect::<BTreeSet<_>>().len() == 1
        })
    })
}

#[test]
fn a_regular_fraction_balances_every_pair_of_factors() {
    let names = ["a", "b", "c", "d", "e"];
    let two = factors(&["a=-1,1", "b=-1,1", "c=-1,1", "d=-1,1", "e=lo,hi"]);
    let half = two.clone().select(Selection::Fraction { one_in: 2 }).table().unwrap();
    assert_eq!((half.rows(), is_balanced(&half, &names)), (16, true));
    let quarter = two.clone().select(Selection::Fraction { one_in: 4 }).table().unwrap();
    assert_eq!((quarter.rows(), is_balanced(&quarter, &names)), (8, true));
    let three = factors(&["a=-1:1", "b=-1:1", "c=-1:1", "d=x,y,z"]);
    let ninth = three.select(Selection::Fraction { one_in: 9 }).table().unwrap();
    assert_eq!((ninth.rows(), is_balanced(&ninth, &names[..4])), (9, true));
    assert!(two.clone().select(Selection::Fraction { one_in: 3 }).rows().is_err());
    assert!(two.select(Selection::Fraction { one_in: 32 }).rows().is_err());
    assert!(factors(&["a=1,2", "b=1,2,3"]).select(Selection::Fraction { one_in: 2 }).rows().is_err());
}

#[test]
fn a_sample_is_even_allowed_and_the_same_for_its_seed() {
    // 4^10, a million combinations.
    let texts: Vec<String> = (0..10).map(|k| format!("f{k}=0:3:1")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let all = factors(&texts).only("f0 + f1 <= 5".parse().unwrap());
    let one = sample(&all, 200, SampleMethod::Sobol, 1);
    assert_eq!(lines(&one), lines(&sample(&all, 200, SampleMethod::Sobol, 1)));
    assert_ne!(lines(&one), lines(&sample(&all, 200, SampleMethod::Sobol, 2)));
    let rows: BTreeSet<String> = lines(&one)[1..].iter().map(|line| line[5..].to_owned()).collect();
    assert_eq!(rows.len(), 200, "all different");
    let (f0, f1) = (one.numbers("f0").unwrap(), one.numbers("f1").unwrap());
    assert!(f0.iter().zip(&f1).all(|(a, b)| a + b <= 5.0));
    // A factor without a condition has each level a quarter of the time; independent draws would be off by 6 in the mean.
    for name in ["f4", "f9"] {
        let values = one.numbers(name).unwrap();
        for level in 0..4 {
            let count = values.iter().filter(|value| **value == f64::from(level)).count();
            assert!(count.abs_diff(50) <= 8, "{name} has level {level} {count} times");
        }
    }
    assert_eq!(sample(&factors(&["a=1,2", "b=1,2"]), 100, SampleMethod::Sobol, 0).rows(), 4, "all there are");
}

/// The smallest distance of two rows on [0, 1]².
fn smallest_distance(table: &Table) -> f64 {
    let (x, y) = (table.numbers("x").unwrap(), table.numbers("y").unwrap());
    let pairs = (0..x.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.map(|(i, j)| (x[i] - x[j]).hypot(y[i] - y[j])).fold(f64::INFINITY, f64::min)
}

#[test]
fn maximin_keeps_rows_apart() {
    let grid = factors(&["x=0:1:0.02", "y=0:1:0.02"]);
    for seed in 0..3 {
        let maximin = smallest_distance(&sample(&grid, 25, SampleMethod::Maximin, seed));
        let sobol = smallest_distance(&sample(&grid, 25, SampleMethod::Sobol, seed));
        // 25 points of a 5 x 5 grid are 0.25 apart, and farthest-first has at least half of the best.
        assert!(maximin >= 0.125 && maximin > sobol, "{maximin} {sobol}");
    }
}

#[test]
fn what_no_table_holds_is_refused_and_can_be_sampled() {
    let texts: Vec<String> = (0..12).map(|k| format!("f{k}=0:9:1")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let huge = factors(&texts);
    assert!(huge.combinations() > MOST_ROWS);
    assert!(huge.rows().unwrap_err().help.contains("sample"));
    assert_eq!(sample(&huge, 1000, SampleMethod::Sobol, 0).rows(), 1000);
    assert_eq!(sample(&huge, 30, SampleMethod::Maximin, 0).rows(), 30);
}

#[test]
fn a_table_of_ranges_makes_factors_and_is_no_pool() {
    let bytes = b"Factor,Low,High,Levels\ntemp,20,100,5\ntime,1,3,\n";
    let table = read_bytes("ranges.csv", bytes, &ReadOptions::default()).unwrap();
    let factors = Factors::new(Factor::of_table(&table, 3).unwrap(), vec![]).unwrap();
    assert_eq!(factors.combinations(), 15);
    assert_eq!(factors.table().unwrap().numbers("time").unwrap()[..3], [1.0, 2.0, 3.0]);
    let source = Source::Bytes { name: "ranges.csv".into(), bytes: bytes.to_vec() };
    let refused = Dataset::read(&source, None, PoolSpec::default(), 0).err().unwrap();
    assert!(matches!(refused, ProblemError::Ranges { factors: 2, .. }), "{refused}");
}
