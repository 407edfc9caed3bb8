//! From the user's columns to features.

use elfving_table::{
    Cell, Code, CsvWriter, Delimiter, LogBase, OneHot, PoolOptions, PoolTable, ReadOptions, Table,
    TableError, TextLook, read_bytes, read_pool,
};

fn table(csv: &str) -> Table {
    read_bytes("pool.csv", csv.as_bytes(), &ReadOptions::default().text("id")).expect("a table")
}

fn pool(csv: &str, options: &PoolOptions) -> Result<PoolTable, TableError> {
    PoolTable::from_table(table(csv), options)
}

fn by_id() -> PoolOptions {
    PoolOptions::default().id("id")
}

const REACTIONS: &str =
    "id,base,ligand,T (C),yield\nr1,KOAc,XPhos,105,5.47\nr2,CsOAc,PPh3,90,0\nr3,KOAc, PPh3,105,\n";

#[test]
fn features_are_the_numeric_columns_but_the_id_and_the_outcome() {
    let pool = pool(REACTIONS, &by_id().exclude("yield")).unwrap();
    assert_eq!(pool.to_string(), "pool.csv: 3 candidates, 1 feature");
    assert_eq!(pool.table.to_string(), "pool.csv: 3 rows, 1 column of numbers, 4 of text");
    assert_eq!(pool.ids, ["r1", "r2", "r3"]);
    assert_eq!(pool.feature_names, ["T (C)"]);
    assert_eq!(pool.features.as_slice(), [105.0, 90.0, 105.0]);
}

#[test]
fn listed_features_come_in_the_order_of_the_list() {
    let pool = pool("id,a,b,c\np,1,2,3\nq,4,5,7\n", &by_id().features(["c", "a"])).unwrap();
    assert_eq!(pool.feature_names, ["c", "a"]);
    assert_eq!(pool.features.as_slice(), [3.0, 1.0, 7.0, 4.0]);
}

#[test]
fn text_columns_are_encoded_in_sorted_order_of_their_levels() {
    let options = by_id().exclude("yield").one_hot(OneHot::AllText);
    let pool = pool(REACTIONS, &options).unwrap();
    assert_eq!(pool.feature_names, ["base=CsOAc", "base=KOAc", "ligand=PPh3", "ligand=XPhos", "T (C)"]);
    assert_eq!(pool.features.row(0), [0.0, 1.0, 0.0, 1.0, 105.0]);
    assert_eq!(pool.features.row(1), [1.0, 0.0, 1.0, 0.0, 90.0]);
    assert_eq!(pool.features.row(2), [0.0, 1.0, 1.0, 0.0, 105.0]);
    // The user's own cells are untouched.
    assert_eq!(pool.table.texts("ligand").unwrap(), ["XPhos", "PPh3", " PPh3"]);
}

#[test]
fn named_columns_alone_are_encoded_and_numbers_may_be_categories() {
    let options = by_id().one_hot(OneHot::Columns(vec!["plate".into()]));
    let pool = pool("id,plate,s,x\na,10,u,1\nb,2,v,2\nc,10,w,3\n", &options).unwrap();
    assert_eq!(pool.feature_names, ["plate=2", "plate=10", "x"]);
    assert_eq!(pool.features.row(2), [0.0, 1.0, 3.0]);
}

#[test]
fn an_empty_category_cell_is_refused() {
    let error = pool("id,s\na,u\nb,\n", &by_id().one_hot(OneHot::AllText)).unwrap_err();
    assert!(
        error.to_string().starts_with("error[E310]: pool.csv:3: column \"s\": the cell is empty"),
        "{error}"
    );
}

#[test]
fn an_encoded_name_that_exists_already_is_refused() {
    let error = pool("id,s,s=u\na,u,1\nb,v,2\n", &by_id().one_hot(OneHot::AllText)).unwrap_err();
    assert_eq!(error.problems()[0].code, Code::RoleConflict);
    assert_eq!(error.problems()[0].message, "two features are called \"s=u\"");
}

#[test]
fn standardised_columns_have_mean_zero_and_deviation_one_and_constants_become_zero() {
    let csv = "id,x,c,s\na,1,0.1,u\nb,2,0.1,v\nc,3,0.1,v\nd,6,0.1,v\n";
    let features = pool(csv, &by_id().standardize(true).one_hot(OneHot::AllText)).unwrap().features;
    let x: Vec<f64> = (0..4).map(|i| features[(i, 0)]).collect();
    // Mean 3, population variance 3.5.
    for (z, value) in x.iter().zip([-2.0, -1.0, 0.0, 3.0]) {
        assert!((z - value / 3.5_f64.sqrt()).abs() < 1e-15);
    }
    for i in 0..4 {
        assert_eq!(features[(i, 1)], 0.0);
    }
    assert_eq!(features.row(0)[2..], [1.0, 0.0]);
}

#[test]
fn standardisation_works_at_any_scale() {
    for scale in ["e-320", "e-150", "e150", "e307"] {
        let csv = format!("id,x\na,-8{scale}\nb,0\nc,8{scale}\n");
        let features = pool(&csv, &by_id().standardize(true)).unwrap().features;
        let expected = 1.5_f64.sqrt();
        for (z, value) in features.as_slice().iter().zip([-expected, 0.0, expected]) {
            assert!((z - value).abs() < 1e-14, "{scale}: {z}");
        }
    }
}

#[test]
fn log_scales_come_before_standardisation() {
    let options = by_id().log_scale("n", LogBase::Two).log_scale("t", LogBase::Ten).standardize(true);
    let pool = pool("id,n,t\na,16,10\nb,64,1000\n", &options).unwrap();
    assert_eq!(pool.feature_names, ["log2(n)", "log10(t)"]);
    assert_eq!(pool.features.as_slice(), [-1.0, -1.0, 1.0, 1.0]);
}

#[test]
fn targets_are_placed_on_the_scale_and_in_the_categories_of_the_pool() {
    let options = by_id().one_hot(OneHot::AllText).standardize(true);
    let pool = pool("id,s,x\na,u,1\nb,v,3\n", &options).unwrap();
    let targets = table("x,s,id\n5,v,t1\n2,u,t2\n");
    assert_eq!(pool.encoding.features(&targets).unwrap().as_slice(), [0.0, 1.0, 3.0, 1.0, 0.0, 0.0]);

    let error = pool.encoding.features(&table("id,s,x\nt1,w,5\nt2,u,NaN\n")).unwrap_err().to_string();
    assert!(error.starts_with(
        "error[E316]: pool.csv:2: column \"s\": \"w\" does not occur in the pool\n  help: the pool has \"u\", \"v\"\n\
         error[E312]: pool.csv:3: column \"x\": \"NaN\" is not a finite number\n"
    ), "{error}");
    let error = pool.encoding.features(&table("id,s\nt1,u\n")).unwrap_err();
    assert_eq!(error.problems()[0].code, Code::NoSuchColumn);
}

#[test]
fn outcomes_are_read_from_the_pool_file() {
    let pool = pool(REACTIONS, &by_id().exclude("yield")).unwrap();
    assert_eq!(pool.table.optional_numbers("yield").unwrap(), [Some(5.47), Some(0.0), None]);
    assert_eq!(
        pool.outcome("yield").unwrap_err().to_string(),
        "error[E310]: pool.csv:4: column \"yield\": the cell is empty\n  \
         help: this column needs a finite number in every row"
    );
    assert_eq!(pool.outcome("T (C)").unwrap(), [105.0, 90.0, 105.0]);
}

#[test]
fn the_users_columns_are_written_next_to_results() {
    let pool = pool(REACTIONS, &by_id().exclude("yield")).unwrap();
    let header = pool.table.columns().iter().map(|column| column.name()).chain(["repeats"]);
    let mut sheet = CsvWriter::new(Vec::new(), pool.table.dialect(), header).unwrap();
    for row in [2, 0] {
        sheet.row(pool.table.cells(row).chain([Cell::Integer(3)])).unwrap();
    }
    assert_eq!(
        String::from_utf8(sheet.finish().unwrap()).unwrap(),
        "id,base,ligand,T (C),yield,repeats\nr3,KOAc, PPh3,105,,3\nr1,KOAc,XPhos,105,5.47,3\n"
    );
}

#[test]
fn a_half_filled_column_of_numbers_goes_back_as_the_user_wrote_it() {
    let csv = "id,y\na,-1.50\nb,\n'-x,+2\n";
    let back = table(csv).write_csv(Vec::new(), Default::default()).unwrap();
    assert_eq!(String::from_utf8(back).unwrap(), csv);
}

#[test]
fn ids_are_text_in_the_file_that_is_read_and_in_the_sheet_that_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pool.csv");
    std::fs::write(&path, "id,x\n007,1\n-5,2\n").unwrap();
    let pool = read_pool(&path, &ReadOptions::default(), &by_id()).unwrap();
    assert_eq!(pool.ids, ["007", "-5"]);
    let sheet = pool.table.write_csv(Vec::new(), pool.table.dialect()).unwrap();
    assert_eq!(String::from_utf8(sheet.clone()).unwrap(), "id,x\n007,1\n'-5,2\n");
    std::fs::write(&path, sheet).unwrap();
    assert_eq!(read_pool(&path, &ReadOptions::default(), &by_id()).unwrap().ids, ["007", "-5"]);
}

#[test]
fn the_delimiter_is_the_most_frequent_one_outside_quotes() {
    for (csv, names) in [
        ("a,b;c\n1,2\n", vec!["a", "b;c"]),
        ("\"a;b;c\",d\n1,2\n", vec!["a;b;c", "d"]),
        ("yield, corrected;x;y\n1;2;3\n", vec!["yield, corrected", "x", "y"]),
        ("\n\na\tb\n1\t2\n", vec!["a", "b"]),
        ("only\n1\n", vec!["only"]),
    ] {
        let table = read_bytes("pool.csv", csv.as_bytes(), &ReadOptions::default()).unwrap();
        assert_eq!(table.columns().iter().map(|column| column.name()).collect::<Vec<_>>(), names);
    }
    let semicolons = ReadOptions::default().delimiter(Delimiter::Semicolon);
    let table = read_bytes("pool.csv", b"a,b;c\n1,2;3\n", &semicolons).unwrap();
    assert_eq!(table.columns().len(), 2);
}

#[test]
fn an_empty_cell_of_a_table_with_one_column_is_not_a_blank_line() {
    let mut sheet = CsvWriter::new(Vec::new(), Default::default(), ["note"]).unwrap();
    for cell in [Cell::from("a"), Cell::Empty, Cell::from("b")] {
        sheet.row([cell]).unwrap();
    }
    let table = read_bytes("notes.csv", &sheet.finish().unwrap(), &ReadOptions::default()).unwrap();
    assert_eq!(table.texts("note").unwrap(), ["a", "", "b"]);
}

#[test]
fn a_column_that_turns_into_text_late_is_still_read_whole() {
    let mut csv = "id,x,late\n".to_owned();
    for row in 0..5000 {
        csv.push_str(&format!("a{row},{row},{:03}\n", row % 7));
    }
    csv.push_str("z,1,1st\n");
    let table = table(&csv);
    let texts = table.texts("late").unwrap();
    assert_eq!((texts.len(), texts[3].as_str(), texts[5000].as_str()), (5001, "003", "1st"));
    let error = PoolTable::from_table(table, &by_id()).unwrap_err();
    assert_eq!(error.total(), 1);
    assert!(
        error.to_string().starts_with("error[E313]: pool.csv:5002: column \"late\": \"1st\" is text"),
        "{error}"
    );
}

#[test]
fn a_pipe_that_can_be_read_only_once_is_read_whole() {
    // A column that turns into text late makes the reader look twice.
    let mut csv = "x,s\n".to_owned();
    csv.push_str(&"1,2\n".repeat(2000));
    csv.push_str("1,text\n");
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("pool");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    std::thread::scope(|scope| {
        scope.spawn(|| std::fs::write(&pipe, &csv).unwrap());
        let table = elfving_table::read(&pipe, &ReadOptions::default()).unwrap();
        assert_eq!((table.rows(), table.texts("s").unwrap()[2000].as_str()), (2001, "text"));
    });
}

#[test]
fn the_first_rows_of_a_table_have_the_categories_of_the_whole() {
    let ligands = ["XPhos", "PPh3", "dppf", "SPhos", "RuPhos", "BINAP"];
    let table = |rows: usize| {
        let lines = (0..rows).map(|k| {
            let note = if k % 3 == 0 { "dark" } else { "" };
            format!("R{k},{},{note},{}\n", ligands[k % 6], if k % 4 == 0 { "rt" } else { "20" })
        });
        let text = format!("name,ligand,note,temp\n{}", lines.collect::<String>());
        read_bytes("pool.csv", text.as_bytes(), &ReadOptions::default()).unwrap()
    };
    for rows in [8, 60, 1728] {
        assert_eq!(table(rows).category_columns(["name"]), ["ligand"], "{rows} rows");
    }
    // Names: nobody says so, but no value comes twice.
    assert_eq!(table(60).category_columns([]), ["ligand"]);
    let many: String = (0..2400).map(|k| format!("s{}\n", k % 1200)).collect();
    let many = read_bytes("pool.csv", format!("s\n{many}").as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!(many.text_look(&many.columns()[0]), Some(TextLook::TooMany { levels: 1200 }));
}

#[test]
fn declared_categories_come_beside_those_that_are_encoded() {
    let table =
        read_bytes("pool.csv", b"id,plate,base\na,1,KOAc\nb,2,KOAc\n", &ReadOptions::default()).unwrap();
    let options = PoolOptions::default().id("id").categorical("plate").one_hot(OneHot::AllText);
    let pool = PoolTable::from_table(table, &options).unwrap();
    assert_eq!(pool.feature_names, ["plate=1", "plate=2", "base=KOAc"]);
}
