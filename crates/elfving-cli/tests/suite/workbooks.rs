//! Excel workbooks as pools and as results.

use crate::common;

use common::Bench;
use rust_xlsxwriter::Workbook;

/// Writes a workbook; cells that are numbers are kept as numbers.
fn save(bench: &Bench, name: &str, sheets: &[(&str, &str)]) {
    let mut workbook = Workbook::new();
    for (title, csv) in sheets {
        let sheet = workbook.add_worksheet().set_name(*title).unwrap();
        for (row, line) in csv.lines().enumerate() {
            for (column, cell) in line.split(',').enumerate().filter(|(_, cell)| !cell.is_empty()) {
                match cell.parse::<f64>() {
                    Ok(number) => sheet.write(row as u32, column as u16, number).unwrap(),
                    Err(_) => sheet.write(row as u32, column as u16, cell).unwrap(),
                };
            }
        }
    }
    workbook.save(bench.path(name)).unwrap();
}

const POOL: &str = "id,dose,ligand\na,0,XPhos\nb,1.5,SPhos\nc,3,XPhos\n";

fn said(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_workbook_is_a_pool_like_any_other() {
    let bench = Bench::new().file("pool.csv", POOL);
    save(&bench, "pool.xlsx", &[("Notes", "text\nnothing here\n"), ("Pool", POOL)]);
    let csv = bench.run("design pool.csv --id id --polynomial-model 1 --format csv").stdout;
    let output = bench.run("design pool.xlsx --sheet Pool --id id --polynomial-model 1 --format csv");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(output.stdout, csv);
    let output = bench.run("design pool.xlsx --sheet Pol --id id");
    assert_eq!(output.status.code(), Some(3));
    assert!(
        said(&output).contains("error[E304]") && said(&output).contains("--sheet: Notes, Pool"),
        "{}",
        said(&output)
    );
    // No output replaces it.
    assert_eq!(bench.run("design pool.xlsx --sheet Pool --id id --out pool.xlsx").status.code(), Some(2));
}

#[test]
fn a_campaign_starts_from_a_workbook_and_takes_results_from_one() {
    let bench = Bench::new();
    save(&bench, "pool.xlsx", &[("Pool", POOL)]);
    save(&bench, "done.xlsx", &[("Done", "id,y\na,0.1\nb,0.2\n")]);
    let output = bench
        .run("new screen pool.xlsx --id id --maximize y --mode calibrated --batch 3 --measured done.xlsx");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(String::from_utf8(output.stdout).unwrap().contains("2 measurements made before"));
    let sheet = String::from_utf8(bench.run("ask screen --quiet").stdout).unwrap();
    let mut filled: Vec<String> = sheet.lines().map(|line| line.replace("why", "note")).collect();
    let outcome = filled[0].split(',').position(|name| name == "y").unwrap();
    for (k, line) in filled.iter_mut().enumerate().skip(1) {
        let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
        cells[outcome] = format!("0.{k}5");
        *line = cells.join(",");
    }
    save(&bench, "batch.xlsx", &[("Batch", &filled.join("\n"))]);
    assert_eq!(bench.json("tell screen batch.xlsx --json")["recorded"], 3);
    assert_eq!(bench.json("tell screen batch.xlsx --json")["repeated"], 3);
    save(&bench, "wrong.xlsx", &[("Batch", "slot,y\nS0001C,0.1\nS9999X,0.2\nS0002E,oops\n")]);
    let output = bench.run("tell screen wrong.xlsx");
    assert_eq!(output.status.code(), Some(3));
    let said = said(&output);
    assert!(
        said.contains("error[E337]: wrong.xlsx:3: column \"slot\"")
            && said.contains("wrong.xlsx:4: column \"y\""),
        "{said}"
    );
}

#[test]
fn results_of_a_plan_may_be_a_workbook() {
    let bench = Bench::new().file("pool.csv", "id,dose\na,0\nb,1\nc,2\n");
    bench.json("design pool.csv --id id --polynomial-model 1 --out d.json --json");
    bench.json("round pool.csv --design d.json --budget 4 --out plan.json --json");
    let sheet = "id,outcome\na,0.5\na,0.6\nc,1.5\nc,1.25\n";
    save(&bench, "results.xlsx", &[("R", sheet)]);
    let bench = bench.file("results.csv", sheet);
    let estimate = "estimate pool.csv --plan plan.json --sigma 1 --format csv --results";
    let output = bench.run(&format!("{estimate} results.xlsx"));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(output.stdout, bench.run(&format!("{estimate} results.csv")).stdout);
}
