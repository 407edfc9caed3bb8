//! What bad input gets: each a snapshot of the words and the exit code.

use crate::common;

use common::Bench;
use insta::assert_snapshot;

/// Ten doses with ids.
const LINE: &str = "id,dose\na,0\nb,1\nc,2\nd,3\n";

#[test]
fn a_cell_that_is_not_a_number() {
    let bench = Bench::new().file("pool.csv", "id,dose,time\na,1,2\nb,NaN,3\nc,2,1e999\nd,4,5\n");
    assert_snapshot!(bench.show("design pool.csv --id id"));
}

#[test]
fn two_candidates_with_one_id() {
    let bench = Bench::new().file("pool.csv", "id,dose\na,1\nb,2\na,3\n");
    assert_snapshot!(bench.show("design pool.csv --id id"));
}

#[test]
fn a_negative_ridge() {
    let bench = Bench::new().file("pool.csv", LINE);
    assert_snapshot!(bench.show("design pool.csv --id id --gamma -1"));
    assert_eq!(bench.run("design pool.csv --id id --gamma nan").status.code(), Some(2));
    assert_eq!(bench.run("design pool.csv --id id --tolerance 0").status.code(), Some(2));
    assert_eq!(bench.run("design pool.csv --id id --time-limit -1").status.code(), Some(2));
    assert_eq!(bench.run("design pool.csv --id id --kernel rbf --lengthscale -1").status.code(), Some(2));
}

#[test]
fn a_value_is_refused_before_any_file_is_read() {
    let text = Bench::new().show("design nowhere.csv --gamma -1");
    assert!(text.contains("error[E201]: gamma"), "{text}");
}

#[test]
fn an_unknown_criterion() {
    assert_snapshot!(Bench::new().show("design pool.csv --criterion q"));
}

#[test]
fn a_file_that_is_not_there() {
    assert_snapshot!(Bench::new().show("design pool.csv"));
}

#[test]
fn an_empty_pool() {
    let bench = Bench::new().file("pool.csv", "id,dose\n").file("empty.csv", "");
    assert_snapshot!(bench.show("design pool.csv --id id"));
    assert_eq!(bench.run("design empty.csv").status.code(), Some(3));
}

#[test]
fn a_pool_without_features() {
    let bench = Bench::new().file("pool.csv", "id,ligand\na,XPhos\nb,PPh3\n");
    assert_snapshot!(bench.show("design pool.csv --id id"));
}

#[test]
fn one_candidate_is_the_answer() {
    let bench = Bench::new().file("pool.csv", "id,dose\nonly,2\n");
    assert_snapshot!(bench.show("design pool.csv --id id"));
    for criterion in ["xy", "d", "a", "v", "c"] {
        let json = bench.json(&format!("design pool.csv --id id --criterion {criterion} --json"));
        assert_eq!(json["support"][0]["id"], "only", "{criterion}");
        assert_eq!(json["support"][0]["weight"], 1.0, "{criterion}");
    }
    let json = bench.json("design pool.csv --id id --kernel matern52 --gamma 0.5 --json");
    assert_eq!(json["support"][0]["weight"], 1.0);
}

#[test]
fn a_target_outside_the_span_without_a_ridge() {
    let bench = Bench::new()
        .file("pool.csv", "id,a,b\nx1,1,0\nx2,2,0\n")
        .file("targets.csv", "id,a,b\nz1,1,0\nz2,1,1\n");
    assert_snapshot!(bench.show("design pool.csv --targets targets.csv --id id"));
    let json = bench.json("design pool.csv --targets targets.csv --id id --gamma 0.01 --json");
    assert_eq!(json["status"], "certified");
}

#[test]
fn a_rank_deficient_pool_is_answered_on_its_span() {
    let bench = Bench::new().file("pool.csv", "id,a,twice\nx1,1,2\nx2,2,4\nx3,3,6\n");
    let json = bench.json("design pool.csv --id id --json");
    assert_eq!(json["support"][0]["id"], "x3");
    assert!((json["value"].as_f64().unwrap() - 1.0).abs() < 1e-5);
}

#[test]
fn a_kernel_matrix_that_is_none() {
    let bench = Bench::new()
        .file("pool.csv", "id,note\na,x\nb,y\n")
        .file("indefinite.csv", "a,b\n1,2\n2,1\n")
        .file("skew.csv", "a,b\n1,0.5\n0.4,1\n")
        .file("small.csv", "a\n1\n")
        .file("good.csv", "a,b\n1,0.5\n0.5,1\n");
    assert_snapshot!(
        "not-positive-semidefinite",
        bench.show("design pool.csv --id id --gram indefinite.csv")
    );
    assert_snapshot!("not-symmetric", bench.show("design pool.csv --id id --gram skew.csv"));
    assert_snapshot!("gram-size", bench.show("design pool.csv --id id --gram small.csv"));
    let json = bench.json("design pool.csv --id id --gram good.csv --gamma 0.1 --json");
    assert_eq!((json["support"][0]["id"].as_str(), json["status"].as_str()), (Some("a"), Some("certified")));
    assert_eq!(bench.json("design --gram good.csv --gamma 0.1 --json")["support"][1]["id"], "1");
}

#[test]
fn options_that_do_not_go_together() {
    let bench = Bench::new().file("pool.csv", LINE);
    for (name, arguments) in [
        ("parameter", "design pool.csv --id id --kernel rbf --degree 3"),
        ("kernel-and-model", "design pool.csv --id id --kernel rbf --polynomial-model 2"),
        ("no-target", "design pool.csv --id id --criterion c"),
        ("unknown-target", "design pool.csv --id id --criterion c --target-id q"),
        ("direction", "design pool.csv --id id --criterion c --direction 1,2"),
        ("other-criterion", "design pool.csv --id id --direction 1"),
        (
            "direction-in-a-kernel",
            "design pool.csv --id id --criterion c --kernel rbf --direction 1 --gamma 1",
        ),
        ("out", "design pool.csv --id id --out design.xlsx"),
        ("plot", "design pool.csv --id id --plot design.jpg"),
        ("lengthscales", "design pool.csv --id id --kernel rbf --lengthscale 1,2 --gamma 1"),
        ("no-pool", "design"),
    ] {
        assert_snapshot!(format!("usage-{name}"), bench.show(arguments));
    }
}

#[test]
fn a_design_without_its_certificate_is_still_printed() {
    let rows: String = (0..60).map(|i| format!("p{i},{}\n", (i as f64 / 59.0).powi(2))).collect();
    let bench = Bench::new().file("pool.csv", &format!("id,x\n{rows}"));
    let output = bench
        .run("design pool.csv --id id --kernel rbf --lengthscale 0.1 --gamma 0.01 --max-iterations 1 --json");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(json["status"], "iteration-limit");
    let stderr = String::from_utf8_lossy(&output.stderr);
    let error: serde_json::Value = serde_json::from_str(&stderr).unwrap();
    assert_eq!((&error["error"]["code"], &error["error"]["exit"]), (&"E711".into(), &7.into()));
    assert!(
        error["error"]["message"].as_str().unwrap().starts_with("no certificate: the gap is"),
        "{stderr}"
    );
    let output = bench
        .run("design pool.csv --id id --kernel rbf --lengthscale 0.1 --gamma 0.01 --time-limit 0 --json");
    assert_eq!(output.status.code(), Some(7));
}

#[test]
fn a_file_that_cannot_be_written() {
    let bench = Bench::new().file("pool.csv", LINE);
    let text = bench.show("design pool.csv --id id --polynomial-model 1 --out nowhere/design.json");
    assert!(
        text.contains("[exit 5]") && text.contains("error[E501]: nowhere/design.json: cannot be written"),
        "{text}"
    );
}

#[test]
fn scales_at_the_edge_of_the_numbers_are_answered_or_refused_in_words() {
    for scale in ["1e-150", "1e150", "1e-300", "1e300"] {
        let bench = Bench::new().file("pool.csv", &format!("id,a,b\nx,{scale},1\ny,1,{scale}\nz,1,1\n"));
        for gamma in ["0", "1e-300", "1"] {
            let output = bench.run(&format!("design pool.csv --id id --gamma {gamma} --json -q"));
            let (code, text) = (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned());
            assert!(
                matches!(code, Some(0 | 7)),
                "{scale} {gamma}: {code:?} {}",
                String::from_utf8_lossy(&output.stderr)
            );
            if !text.is_empty() {
                let json: serde_json::Value = serde_json::from_str(&text).unwrap();
                for field in ["value", "lower_bound", "relative_gap"] {
                    assert!(json[field].is_number(), "{scale} {gamma}: {field} in {text}");
                }
            }
        }
    }
}
