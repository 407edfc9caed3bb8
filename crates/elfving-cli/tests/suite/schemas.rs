//! The JSON of every command is what its schema says, to the last field, and docs/json.md lists it.

use crate::common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use common::Bench;
use serde_json::Value;

const POOL: &str = "id,dose,base,note,yield\na,1,KOAc,,0.3\nb,2,CsOAc,,\nc,3,KOAc,x,\nd,4,CsOAc,,\n";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema")
}

fn schema(name: &str) -> Value {
    let path = folder().join(format!("{name}.json"));
    serde_json::from_slice(&std::fs::read(&path).unwrap_or_else(|_| panic!("{}", path.display()))).unwrap()
}

/// What is wrong with a document.
fn problems(name: &str, document: &Value) -> Vec<String> {
    let schema = schema(name);
    let mut found = Vec::new();
    validate(&schema, &schema, document, "", &mut found);
    found
}

/// The part of JSON Schema that our files use; a keyword that is not here is refused, so that none is skipped in silence.
fn validate(root: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    for (keyword, rule) in schema.as_object().unwrap() {
        match keyword.as_str() {
            "$schema" | "title" | "description" | "$defs" => {}
            "$ref" => {
                let name = rule.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                validate(root, &root["$defs"][name], value, at, found);
            }
            "type" => {
                let types = rule.as_array().cloned().unwrap_or_else(|| vec![rule.clone()]);
                if !types.iter().any(|kind| is_of(kind.as_str().unwrap(), value)) {
                    found.push(format!("{at}: {value} is not of type {rule}"));
                }
            }
            "const" if value != rule => found.push(format!("{at}: {value} is not {rule}")),
            "enum" if !rule.as_array().unwrap().contains(value) => {
                found.push(format!("{at}: {value} is not one of {rule}"));
            }
            "minimum" if value.as_f64().is_some_and(|number| number < rule.as_f64().unwrap()) => {
                found.push(format!("{at}: {value} is below {rule}"));
            }
            "minItems" | "maxItems" => {
                let (count, limit) = (value.as_array().map_or(0, Vec::len) as u64, rule.as_u64().unwrap());
                if value.is_array() && if keyword == "minItems" { count < limit } else { count > limit } {
                    found.push(format!("{at}: {keyword} {limit}, but there are {count}"));
                }
            }
            "anyOf" => {
                let fits = |option: &Value| {
                    let mut found = Vec::new();
                    validate(root, option, value, at, &mut found);
                    found.is_empty()
                };
                if !rule.as_array().unwrap().iter().any(fits) {
                    found.push(format!("{at}: {value} fits none of its forms"));
                }
            }
            "required" => {
                let missing =
                    |name: &&Value| value.is_object() && value.get(name.as_str().unwrap()).is_none();
                found.extend(
                    rule.as_array().unwrap().iter().filter(missing).map(|name| format!("{at}: no {name}")),
                );
            }
            "items" => {
                for (k, item) in value.as_array().into_iter().flatten().enumerate() {
                    validate(root, rule, item, &format!("{at}[{k}]"), found);
                }
            }
            "properties" => {
                for (name, field) in value.as_object().into_iter().flatten() {
                    if let Some(rule) = rule.get(name) {
                        validate(root, rule, field, &format!("{at}.{name}"), found);
                    }
                }
            }
            "additionalProperties" => {
                let known = |name: &str| schema["properties"].get(name).is_some();
                for (name, field) in value.as_object().into_iter().flatten().filter(|(name, _)| !known(name))
                {
                    match rule {
                        Value::Bool(false) => {
                            found.push(format!("{at}: the field {name:?} is not documented"))
                        }
                        rule => validate(root, rule, field, &format!("{at}.{name}"), found),
                    }
                }
            }
            "const" | "enum" | "minimum" => {}
            other => panic!("{at}: the keyword {other:?} is not checked here"),
        }
    }
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        other => panic!("there is no type {other}"),
    }
}

/// Runs a command and holds its answer against its schema.
fn check(bench: &Bench, checked: &mut BTreeSet<String>, name: &str, command: &str) -> Value {
    let command = match command.split_once(" -- ") {
        Some((command, rest)) => format!("{command} --json -- {rest}"),
        None => format!("{command} --json"),
    };
    let output = bench.run(&command);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let bytes = if name == "error" { &output.stderr } else { &output.stdout };
    let document: Value = serde_json::from_slice(bytes).unwrap_or_else(|_| panic!("{command}: {said}"));
    let problems = problems(name, &document);
    assert!(problems.is_empty(), "{command}:\n{}\n{document}", problems.join("\n"));
    checked.insert(name.to_owned());
    document
}

#[test]
fn every_answer_fits_its_schema_and_every_schema_has_an_answer() {
    let bench = Bench::with_examples().file("pool.csv", POOL).file("measure.sh", "echo 0.5\n");
    let bench = bench.file("full.csv", "id,dose,yield\na,1,0.1\nb,2,0.5\nc,3,0.7\nd,4,0.2\n");
    let mut checked = BTreeSet::new();
    let mut check = |name: &str, command: &str| check(&bench, &mut checked, name, command);

    // A calibrated campaign with everything that can happen to it.
    check(
        "new",
        "new screen pool.csv --id id --log dose=2 --maximize yield --mode calibrated --batch 2 --budget 9 --measured pool.csv --max-repeats 2 --plate 2x3 --control a:1 --at-most base=2",
    );
    let batch = check("ask", "ask screen --worker robot");
    let slot = |k: usize| batch["rows"][k]["slot"].as_str().unwrap().to_owned();
    let results = format!("slot,yield,status\n{},0.5,\n{},,failed\n", slot(0), slot(1));
    std::fs::write(bench.path("results.csv"), results).unwrap();
    check("tell", "tell screen results.csv");
    std::fs::write(bench.path("more.csv"), "id,yield\nb,0.4\nb,0.4\nc,90\n").unwrap();
    check("tell", "tell screen more.csv --all-new");
    check("status", "status screen");
    check("release", "release screen --worker robot");
    check("candidate", "status screen --candidate a");
    check("change", "change screen --budget 12 --reason more");
    std::fs::write(bench.path("new.csv"), "id,dose,base\ne,5,KOAc\n").unwrap();
    check("change", "extend screen new.csv --reason 'it came'");
    check("change", "forbid screen d --reason gone");
    check("change", "allow screen d --reason back");
    check("change", "forbid screen d --infeasible --reason broken");
    check("status", "status screen");
    check("correct", &format!("correct screen {} 0.6 --reason misread", slot(0)));
    check("report", "report screen");
    check("verify", "verify screen");
    check("log", "log screen");
    check("export", "export screen");
    if cfg!(unix) {
        check("watch", "watch screen -- sh measure.sh");
    }
    check("ask", "ask screen");
    check("status", "status screen");
    check("error", "status screen --candidate nobody");

    // A certified one, and what belongs to no campaign.
    let assumed = "--noise sub-gaussian --sigma 0.1 --norm 2 --epsilon 0.2";
    check("new", &format!("new proof pool.csv --id id --categorical base --maximize yield {assumed}"));
    check("ask", "ask proof");
    check("status", "status proof");
    check("demo", "demo");
    check("pool", "pool --factor t=1:3 --factor base=KOAc,CsOAc --mixture A,B:0.5");
    for options in ["--criterion g", "--criterion d", "--kernel rbf --gamma 0.1"] {
        check(
            "design",
            &format!("design pool.csv --id id --ignore yield --standardize {options} --out design.json"),
        );
    }
    check("design", "design pool.csv --id id --ignore yield --polynomial-model 1 --out design.json");
    check("round", "round pool.csv --design design.json --budget 6 --out plan.json");
    check("round", "round pool.csv --design design.json --budget 6 --method sample");
    std::fs::write(bench.path("outcomes.csv"), "id,yield\na,0.1\na,0.2\na,0.1\nd,0.3\nd,0.4\nd,0.3\n")
        .unwrap();
    check(
        "estimate",
        "estimate pool.csv --plan plan.json --results outcomes.csv --outcome yield --sigma 0.1",
    );
    check(
        "plan",
        "plan full.csv --id id --maximize yield --epsilon 0.2 --sigma 0.1 --norm 1 --noise sub-gaussian --repetitions 2 --budget 200 --features dose",
    );
    check("complexity", "complexity pool.csv --id id --ignore yield --gamma 0.1");
    check("diagnose", "diagnose pool.csv --id id --outcome yield");
    check("error", "design nowhere.csv");
    std::fs::write(bench.path("bad.csv"), "id,x\na,NaN\n").unwrap();
    check("error", "design bad.csv --id id");

    let written: BTreeSet<String> = names();
    let printed = String::from_utf8(bench.run("schema").stdout).unwrap();
    let printed: BTreeSet<String> = printed.lines().map(str::to_owned).collect();
    assert_eq!(printed, written, "`elfving schema` knows every file of docs/schema");
    if cfg!(unix) {
        assert_eq!(checked, written, "every schema is held against an answer");
    }
    let ask: Value = serde_json::from_slice(&bench.run("schema ask").stdout).unwrap();
    assert_eq!(ask, schema("ask"));
}

#[test]
fn a_field_that_no_schema_knows_is_noticed() {
    let bench = Bench::new().file("pool.csv", POOL);
    bench.json("new screen pool.csv --id id --maximize yield --mode calibrated --batch 2 --json");
    let mut batch = bench.json("ask screen --json");
    assert_eq!(problems("ask", &batch), Vec::<String>::new());
    batch["rows"][0]["surprise"] = 1.into();
    assert!(problems("ask", &batch)[0].contains("surprise"));
    batch["rows"] = "none".into();
    assert!(!problems("ask", &batch).is_empty());
}

fn names() -> BTreeSet<String> {
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    files.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect()
}

/// Every field of a schema by its path (`rows[].slot`), with its line of the page.
fn lines(root: &Value, schema: &Value, path: &str, found: &mut Vec<String>) {
    if let Some(name) = schema["$ref"].as_str() {
        return lines(root, &root["$defs"][name.rsplit('/').next().unwrap()], path, found);
    }
    if let Some(properties) = schema["properties"].as_object() {
        for (name, field) in properties {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let about = field["description"].as_str().unwrap_or_else(|| panic!("{path} has no description"));
            let line = format!("| `{path}` | {} |", about.replace('|', "\\|"));
            if !found.contains(&line) {
                found.push(line);
            }
            lines(root, field, &path, found);
        }
    }
    if schema["items"].is_object() {
        lines(root, &schema["items"], &format!("{path}[]"), found);
    }
    if schema["additionalProperties"].is_object() {
        lines(root, &schema["additionalProperties"], &format!("{path}.*"), found);
    }
    for other in schema["anyOf"].as_array().into_iter().flatten() {
        lines(root, other, path, found);
    }
}

#[test]
fn the_page_lists_every_field() {
    let page = folder().join("../json.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let (before, _) = text.split_once("\n## ").unwrap();
    let mut right = before.to_owned();
    for name in names() {
        let schema = schema(&name);
        let mut found = Vec::new();
        lines(&schema, &schema, "", &mut found);
        let title = schema["title"].as_str().unwrap().split_once(": ").unwrap().1;
        right.push_str(&format!(
            "\n## {name}\n\n{title}\n\n| field | meaning |\n|---|---|\n{}\n",
            found.join("\n")
        ));
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&page, &right).unwrap();
    }
    assert!(text == right, "docs/json.md is not what docs/schema says: UPDATE_DOCS=1 writes it");
}
