//! A snapshot of every output format of every command.

use crate::common;

use common::{Bench, settled};
use insta::assert_snapshot;

#[test]
fn help_of_the_program() {
    assert_snapshot!(Bench::new().show("--help"));
}

#[test]
fn help_of_every_command() {
    let bench = Bench::new();
    let commands = [
        "demo",
        "new",
        "ask",
        "tell",
        "status",
        "report",
        "correct",
        "log",
        "export",
        "verify",
        "design",
        "round",
        "estimate",
        "simulate",
        "reproduce",
        "complexity",
        "plan",
        "diagnose",
        "certify",
        "completions",
        "man",
    ];
    for command in commands {
        assert_snapshot!(format!("help-{command}"), bench.show(&format!("{command} --help")));
    }
}

#[test]
fn a_design_as_a_table() {
    assert_snapshot!(Bench::with_examples().show("design line.csv --id id --polynomial-model 1"));
}

#[test]
fn a_design_as_csv() {
    let bench = Bench::with_examples();
    assert_snapshot!(bench.show("design line.csv --id id --polynomial-model 2 --format csv"));
}

#[test]
fn a_design_as_json() {
    assert_snapshot!(Bench::with_examples().show("design line.csv --id id --polynomial-model 1 --json"));
}

#[test]
fn the_maximised_criterion_has_an_upper_bound() {
    let bench = Bench::with_examples();
    assert_snapshot!(bench.show("design line.csv --id id --polynomial-model 2 --criterion d --json"));
    assert_snapshot!(bench.show("design line.csv --id id --polynomial-model 2 --criterion d"));
}

#[test]
fn a_design_with_categories_says_what_it_left_out() {
    let bench = Bench::new().file("pool.csv", "id,ligand,dose,yield\na,XPhos,1,\nb,PPh3,2,\nc,dppf,3,\n");
    assert_snapshot!(bench.show("design pool.csv --id id --outcome yield --criterion v --gamma 0.1"));
}

#[test]
fn a_kernel_names_its_lengthscale_and_its_ridge() {
    let bench = Bench::with_examples();
    assert_snapshot!(
        bench.show("design line.csv --id id --kernel rbf --criterion c --target-id L05 --gamma 1")
    );
    assert_snapshot!(
        bench.show("design line.csv --id id --kernel matern12 --lengthscale 5 --criterion d --format csv")
    );
}

#[test]
fn a_design_for_other_targets() {
    let bench = Bench::with_examples().file("beyond.csv", "id,dose (mg)\nz,12\n");
    assert_snapshot!(bench.show("design line.csv --targets beyond.csv --id id --polynomial-model 1 --json"));
}

#[test]
fn files_hold_what_stdout_shows_and_nothing_is_left_beside_them() {
    let bench = Bench::with_examples();
    let before = std::fs::read_dir(bench.path("")).unwrap().count();
    let model = "design line.csv --id id --polynomial-model 1";
    bench.json(&format!("{model} --out design.json --json"));
    bench.json(&format!("{model} --out design.csv --json"));
    bench.json(&format!("{model} --plot design.svg --json"));
    bench.json(&format!("{model} --plot design.png --json"));
    assert_snapshot!("file-json", settled(&bench.text("design.json")));
    assert_snapshot!("file-csv", settled(&bench.text("design.csv")));
    let svg = bench.text("design.svg");
    for words in [
        "G-optimal design on line.csv (polynomial model of degree 1, gamma 0)",
        "dose (mg)",
        "certified within",
    ] {
        assert!(svg.contains(words), "{words}");
    }
    assert!(std::fs::read(bench.path("design.png")).unwrap().starts_with(b"\x89PNG"));
    assert_eq!(std::fs::read_dir(bench.path("")).unwrap().count(), before + 4);
}

#[test]
fn a_certificate_as_a_table_and_as_json() {
    let bench = Bench::with_examples();
    bench.json("design line.csv --id id --polynomial-model 1 --out design.json --json");
    assert_snapshot!("certify-table", bench.show("certify design.json line.csv"));
    assert_snapshot!("certify-json", bench.show("certify design.json line.csv --json"));
}

#[test]
fn a_spreadsheet_with_decimal_commas_gets_decimal_commas_back() {
    let bench = Bench::new().file("pool.csv", "\u{feff}id;dose\r\na;0,5\r\nb;1,5\r\nc;2,5\r\n");
    let output = bench.run("design pool.csv --id id --decimal , --polynomial-model 1 --format csv");
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.split("\r\n").collect();
    assert_eq!(lines[0], "\u{feff}id;weight;dose", "{}", String::from_utf8_lossy(&output.stderr));
    assert!(lines[1].starts_with("a;0,") && lines[1].ends_with(";0,5"), "{text}");
}

#[test]
fn a_column_called_weight_keeps_its_name() {
    let bench = Bench::new().file("pool.csv", "weight,row\n1,0\n2,0\n3,1\n");
    let text = String::from_utf8(bench.run("design pool.csv --format csv").stdout).unwrap();
    assert!(text.starts_with("pool row,design weight,weight,row\n"), "{text}");
}

#[test]
fn quiet_silences_notes_and_warnings_but_not_errors() {
    let bench = Bench::with_examples();
    let output = bench.run("design reactions.csv --id id --outcome 'yield (%)' --gamma 1 --quiet");
    assert!(output.stderr.is_empty() && !output.stdout.is_empty());
    let output = bench.run("design missing.csv --quiet");
    assert!(!output.stderr.is_empty() && output.stdout.is_empty());
}

#[test]
fn completions_and_manual_pages_name_every_command() {
    let bench = Bench::new();
    let script = String::from_utf8(bench.run("completions bash").stdout).unwrap();
    let page = String::from_utf8(bench.run("man").stdout).unwrap();
    for command in ["design", "round", "estimate", "simulate", "reproduce", "certify", "completions", "man"] {
        assert!(script.contains(command) && page.contains(command), "{command}");
    }
    let page = bench.json("man design --json");
    assert!(page["page"].as_str().unwrap().contains("criterion"));
    assert_eq!(bench.json("completions zsh --json")["shell"], "zsh");
    assert_eq!(bench.run("man cook").status.code(), Some(2));
}

#[test]
fn the_examples_of_the_page_print_what_it_says() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cli.md");
    let page = std::fs::read_to_string(page).unwrap();
    let blocks: Vec<&str> = page.split("```console\n$ elfving ").skip(1).collect();
    assert!(blocks.len() >= 2);
    let bench = Bench::with_examples();
    for block in blocks {
        let (arguments, expected) = block.split("```").next().unwrap().split_once('\n').unwrap();
        let output = bench.run(arguments);
        let printed = [output.stdout, output.stderr].concat();
        assert_eq!(settled(&String::from_utf8_lossy(&printed)), settled(expected), "elfving {arguments}");
    }
}
