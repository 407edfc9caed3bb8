//! What a problem costs and which options it asks for: `complexity`, `plan`, `diagnose`.

use crate::common;

use common::Bench;
use insta::assert_snapshot;

/// Six points in R³ with a guess of their means: ⟨x, (1, 0.3, -0.2)⟩.
const LINEAR6: &str = "id,a,b,c,guess
p0,1,0,0,1
p1,0,1,0,0.3
p2,0,0,1,-0.2
p3,0.7,0.7,0,0.91
p4,0,0.6,-0.8,0.34
p5,0.5,-0.5,0.7,0.21
";

fn bench() -> Bench {
    Bench::new().file("six.csv", LINEAR6)
}

#[test]
fn the_costs_of_a_problem_as_a_table() {
    assert_snapshot!(bench().show("complexity six.csv --id id --truth guess --gamma 0.05 --horizon 10 --epsilon 0.2 --misspecification 0.01 --norm 1.084275"));
}

#[test]
fn the_costs_of_a_problem_as_json_are_the_reference() {
    let command = "complexity six.csv --id id --truth guess --gamma 0.05 --horizon 10 --epsilon 0.2 --misspecification 0.01 --tolerance 1e-9";
    let found = bench().json(&format!("{command} --json"));
    for (name, expected) in [
        ("f_points", 2.6086956523),
        ("f_differences", 6.509554654506095),
        ("effective_dimension_trace", 2.608695652057453),
        ("effective_dimension_count", 3.0),
        ("f_bar", 2.6086956523056917),
        ("information_gain", 4.399011205192661),
        ("information_gain_greedy", 2.0 * 2.1910133173369406),
        ("rho_star", 23.21046294282921),
        ("g", 0.9090909098441406),
        ("epsilon_bar", 33.69686375588585),
        ("t_star", 249.6304906275098),
        ("truth_norm", 1.063014581273465),
    ] {
        let quantity = &found["quantities"][name];
        let value = quantity["value"].as_f64().unwrap();
        assert!((value - expected).abs() <= 1e-6 * expected, "{name}: {value} instead of {expected}");
        assert!(quantity["at_least"].as_f64() <= quantity["at_most"].as_f64(), "{name}");
    }
    assert_eq!((found["n"].as_u64(), found["dimension"].as_u64()), (Some(6), Some(3)));
}

#[test]
fn a_tie_is_left_out_with_its_reason_and_a_wrong_number_is_refused() {
    let bench = Bench::new().file("tie.csv", "id,a,b,guess\nx,1,0,1\ny,0,1,1\nz,0.5,0.4,0.9\n");
    assert_snapshot!(bench.show("complexity tie.csv --id id --truth guess"));
    assert_snapshot!(bench.show("complexity tie.csv --id id --gamma -1"));
    assert_snapshot!(bench.show("complexity tie.csv --id id --truth guess --norm 0.1"));
}

#[test]
fn a_plan_as_a_table() {
    let assumed = "--sigma 0.1 --bound 1 --norm 1.1 --noise sub-gaussian --epsilon 0.2 --batch 4";
    assert_snapshot!(bench().show(&format!("plan six.csv --id id --truth guess {assumed}")));
}

#[test]
fn a_plan_without_a_guess_names_what_is_missing() {
    assert_snapshot!(bench().show("plan six.csv --id id --ignore guess --sigma 0.1 --bound 1 --epsilon 0.2"));
    assert_snapshot!(bench().show("plan six.csv --id id --sigma 0.1 --epsilon 0.2"));
    assert_snapshot!(bench().show("plan six.csv --id id --sigma 0.1 --bound 1 --epsilon 0"));
}

#[test]
fn a_plan_as_json_has_its_rounds_and_a_picture_its_lines() {
    let bench = bench();
    let assumed = "--sigma 0.1 --bound 1 --norm 1.1 --noise sub-gaussian --epsilon 0.2 --batch 4";
    let plan = bench.json(&format!("plan six.csv --id id --truth guess {assumed} --plot plan.svg --json"));
    let rips = &plan["algorithms"][1];
    assert_eq!(rips["algorithm"], "rips-best");
    let rounds = rips["worst_case"]["rounds"].as_array().unwrap();
    let sum: u64 = rounds.iter().map(|round| round["samples"].as_u64().unwrap()).sum();
    assert_eq!(rips["worst_case"]["samples"].as_u64(), Some(sum));
    // What a guess takes is never above the worst case.
    let guess = rips["guess"]["samples"]["mean"].as_f64().unwrap();
    assert!(guess <= sum as f64);
    assert_eq!(plan["recommendation"]["family"], "ellipsoid");
    let epsilons = plan["by_epsilon"].as_array().unwrap();
    let costs: Vec<u64> = epsilons.iter().map(|at| at["rips_best"].as_u64().unwrap()).collect();
    assert!(costs.windows(2).all(|pair| pair[0] < pair[1]), "{costs:?}");
    let picture = bench.text("plan.svg");
    for words in ["rips-best, at worst", "ellipsoid-best, the guess", "lower bound for the best itself"] {
        assert!(picture.contains(words), "{words}");
    }
}

/// Two features on wild scales, one of powers of two, one constant, a category, and two candidates that are the same.
fn messy() -> Bench {
    let mut pool = "id,size,dose,lot,solvent\n".to_owned();
    let mut results = "id,y\n".to_owned();
    for i in 0..24 {
        let (size, dose) = (1 << (i % 8), 1000.0 * (i / 3) as f64);
        pool.push_str(&format!("c{i:02},{size},{dose},7,{}\n", ["DMAc", "PhMe"][i % 2]));
        for repeat in 0..3 {
            let noise = 0.05 * (((i * 31 + repeat * 17) % 13) as f64 / 6.0 - 1.0);
            results.push_str(&format!("c{i:02},{}\n", (dose / 3000.0).sin() + 0.1 * (i % 8) as f64 + noise));
        }
    }
    pool.push_str("c24,1,0,7,DMAc\n");
    Bench::new().file("messy.csv", &pool).file("results.csv", &results)
}

#[test]
fn a_table_is_diagnosed_line_by_line() {
    assert_snapshot!(messy().show("diagnose messy.csv --id id --quiet"));
}

#[test]
fn results_give_noise_bounds_and_a_kernel() {
    let bench = messy();
    let command =
        "diagnose messy.csv --id id --measured results.csv --features size,dose --standardize --quiet";
    let found = bench.json(&format!("{command} --json"));
    // The outcome is a column of the results, not of the pool.
    assert_eq!(bench.json(&format!("{command} --outcome y --json")), found);
    let flag = |topic: &str| {
        let findings = found["findings"].as_array().unwrap();
        let finding = findings.iter().find(|finding| finding["topic"] == topic).unwrap();
        finding["flag"].as_str().unwrap_or_default().to_owned()
    };
    // Uniform steps on ±0.05 within three repeats.
    let sigma: f64 = flag("noise").strip_prefix("--sigma ").unwrap().parse().unwrap();
    assert!((0.02..0.06).contains(&sigma), "{sigma}");
    assert!(flag("kernel").starts_with("--kernel "));
    assert_eq!(flag("tails"), "--noise sub-gaussian");
    let bound: f64 = flag("bound").strip_prefix("--bound ").unwrap().parse().unwrap();
    assert!((1.5..3.0).contains(&bound), "{bound}");
    // The options are options: the program takes them.
    let options = found["options"].as_str().unwrap();
    let assumed =
        format!("plan messy.csv --id id --features size,dose --standardize --epsilon 2 {options} --quiet");
    assert_eq!(bench.run(&assumed).status.code(), Some(0), "{assumed}");
}

#[test]
fn results_that_do_not_fit_are_refused() {
    let bench = messy().file("other.csv", "id,y\nnobody,1\n").file("empty.csv", "id,y\nc01,\n");
    assert_snapshot!(bench.show("diagnose messy.csv --id id --measured other.csv --quiet"));
    assert_snapshot!(bench.show("diagnose messy.csv --id id --measured empty.csv --quiet"));
    assert_snapshot!(bench.show("diagnose messy.csv --measured empty.csv --features size --quiet"));
}
