//! `elfving design --runs` and formulas: whole runs, how far they can be from the best ones, and what is refused.

use crate::common::Bench;

const MODEL: &str = "--model '~ temp + I(temp^2) + base*temp'";

fn bench() -> Bench {
    let bench = Bench::new();
    let grid = "pool --factor temp=20:100:20 --factor base=K2CO3,KOAc,CsOPiv --out grid.csv";
    assert_eq!(bench.run(grid).status.code(), Some(0));
    bench
}

fn design(more: &str) -> String {
    format!("design grid.csv --id id --criterion d {more}")
}

#[test]
fn whole_runs_come_with_how_far_they_can_be_from_the_best() {
    let bench = bench();
    let document = bench.json(&design(&format!("{MODEL} --runs 12 --json")));
    let counts = document["counts"].as_array().unwrap();
    assert_eq!(counts.iter().map(|count| count["count"].as_u64().unwrap()).sum::<u64>(), 12);
    let bound = document["efficiency_bound"].as_f64().unwrap();
    assert!((bound - 0.954).abs() < 5e-4, "{bound}");
    let words = bench.show(&design(&format!("{MODEL} --runs 12")));
    assert!(words.contains("at least 95.4 % as good (D-efficiency) as any plan of 12 runs"), "{words}");
    let sheet = bench.show(&design(&format!("{MODEL} --runs 12 --format csv")));
    assert!(sheet.contains("id,runs,temp,base\n"), "{sheet}");
}

#[test]
fn more_searches_find_no_worse_plan() {
    let bench = bench();
    let bound = |searches: u32| {
        let document = bench.json(&design(&format!("{MODEL} --runs 10 --searches {searches} --json")));
        document["efficiency_bound"].as_f64().unwrap()
    };
    assert!(bound(1) <= bound(100) + 1e-9);
    assert!(bench.show(&design("--runs 10 --searches 0")).contains("--searches must be at least 1"));
}

#[test]
fn runs_that_cannot_determine_the_coefficients_are_refused_by_name() {
    let words = bench().show(&design("--model '~ temp + base' --runs 3"));
    assert!(words.contains("[exit 7]"), "{words}");
    assert!(words.contains("error[E713]: 3 runs cannot determine 4 coefficients; open: "), "{words}");
}

#[test]
fn a_formula_that_does_not_fit_is_marked() {
    let words = bench().show(&design("--model '~ tmp*base'"));
    let marked = "error[E212]: --model: there is no column \"tmp\"; the nearest is \"temp\"\n    ~ tmp*base\n      ^^^\n";
    assert!(words.contains("[exit 2]") && words.contains(marked), "{words}");
}
