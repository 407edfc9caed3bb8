//! The claims of the paper's experiments, as far as we find that they hold, with enough repetitions to tell.

use elfving_lab::experiments::{Experiment, ExperimentError, Findings, Settings, csv, figure};

fn run(experiment: Experiment, repeats: usize) -> Findings {
    experiment.run(&Settings::default().repeats(repeats), &|| {}).unwrap()
}

/// Means of two methods, and the standard error of their difference if they were independent.
fn compare(findings: &Findings, panel: usize, methods: [&str; 2], x: f64) -> (f64, f64, f64) {
    let at = |method| findings.panels[panel].curve(method).unwrap().at(x).unwrap();
    let [a, b] = methods.map(at);
    (a.mean, b.mean, a.standard_error.hypot(b.standard_error))
}

#[test]
fn rips_is_within_fifteen_per_cent_of_the_best_from_400_measurements_on() {
    let findings = run(Experiment::GOptimal, 24);
    assert!(findings.claims[0].holds, "{}", findings.claims[0]);
    // The design of mirror descent has full support, the certified one has not.
    assert!(findings.claims[1].holds, "{}", findings.claims[1]);
    let panel = &findings.panels[0];
    let first = |method| panel.curve(method).unwrap().x[0];
    assert!(first("LS Carathéodory, mirror descent") > 1275.0);
    assert!(first("LS Carathéodory") < 1275.0);
    // IPS is not better than RIPS with few measurements.
    let (rips, ips, error) = compare(&findings, 0, ["RIPS", "IPS"], 50.0);
    assert!(rips < ips - 2.0 * error, "{rips} {ips} {error}");
}

#[test]
fn ptr_is_the_best_of_the_papers_three_in_the_kernel_experiment() {
    let findings = run(Experiment::Kernel, 8);
    for panel in [0, 1] {
        for other in ["RIPS", "IPS"] {
            for x in [100.0, 300.0, 500.0] {
                let (ptr, them, error) = compare(&findings, panel, ["PTR", other], x);
                assert!(ptr < them - 2.0 * error, "panel {panel}, {other} at {x}: {ptr} {them} {error}");
            }
        }
    }
}

#[test]
fn ips_falls_behind_rips_as_the_dimension_grows() {
    let findings = run(Experiment::RipsVsIps, 100);
    let ratio = |m: f64| {
        let (ips, rips, _) = compare(&findings, 0, ["IPS", "RIPS"], m);
        ips / rips
    };
    assert!(ratio(12.0) > 1.8 && ratio(24.0) > 1.1 * ratio(12.0) && ratio(48.0) > 1.2 * ratio(24.0));
    // A uniform design hides most of it.
    let (ips, rips, _) = compare(&findings, 1, ["IPS", "RIPS"], 12.0);
    assert!(ips / rips < 1.6);
}

#[test]
fn the_same_seed_gives_the_same_numbers_on_any_number_of_threads() {
    let with = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            Experiment::RipsVsIps.run(&Settings::default().repeats(3).seed(seed), &|| {}).unwrap()
        })
    };
    let one = with(1, 5);
    assert_eq!(csv(&one).unwrap(), csv(&with(3, 5)).unwrap());
    assert_ne!(csv(&one).unwrap(), csv(&with(3, 6)).unwrap());
    assert!(one.panels.iter().all(|panel| figure(panel).unwrap().to_svg().contains("RIPS")));
}

#[test]
fn one_repetition_has_no_standard_error() {
    let refused = Experiment::Kernel.run(&Settings::default().repeats(1), &|| {});
    assert!(matches!(refused, Err(ExperimentError::Repeats { got: 1 })));
}
