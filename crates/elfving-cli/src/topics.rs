//! `elfving help TOPIC`: what belongs to no single command.

use std::ffi::OsString;

/// The topics by name.
const TOPICS: &[(&[&str], &str)] = &[
    (
        &["campaign", "campaigns"],
        "A campaign is one file that says what to measure next, batch by batch, and remembers everything.

  elfving new NAME POOL       create a campaign file from a table of candidates
  elfving ask NAME            the next batch, as a sheet to fill in
  elfving tell NAME FILE      record results
  elfving watch NAME -- COMMAND
                              run a command for every slot and record what it prints
  elfving status NAME         progress, guarantees and eliminations
  elfving report NAME         all of it as one HTML page
  elfving correct NAME SLOT VALUE --reason WHY
                              replace a wrong result
  elfving log NAME            what happened, event by event
  elfving export NAME         the measurements as CSV, or everything as JSON
  elfving verify NAME         check that the file is as it was written

  elfving demo                a whole campaign on a real table, in seconds

Each command explains itself: elfving ask --help
",
    ),
    (
        &["formula", "formulas", "model"],
        "--model \"~ temp + I(temp^2) + base*time\" names the terms of a linear model.

  a + b                       both, and an intercept
  a:b                         their product; of categories, every combination
  a*b                         a + b + a:b
  a/b                         a + a:b, b within a
  (a + b + c)^2               all of them, and all products of two
  - a:b, - 1                  without this term, without the intercept
  I(a^2), I(a*b), log(a)      arithmetic and functions: log log2 log10 exp sqrt abs
  C(lot)                      a category, numbers too
  C(base, Treatment(\"KOAc\")) compared with KOAc
  C(base, Sum)                compared with the mean of the levels
  `time (min)`                a column with such a name

Text columns are categories. Only the columns that the formula names are features.
",
    ),
    (
        &["options"],
        "An option means the same in every command that has it.

  POOL or --pool POOL         the candidates: a .csv with a header, .npy, .npz or .parquet
  --sigma X|COLUMN            the assumed noise level: a bound on its standard deviation
  --noise sub-gaussian|bounded-variance
                              the assumed tails of the noise
  --norm, --bound, --misspecification
                              the other assumptions
  --maximize COLUMN, --minimize COLUMN
                              the outcome and its direction
  --outcome COLUMN            the outcome where no direction is needed
  --ignore COLUMN,..          columns that are neither features nor outcomes
  --categorical A,B           columns that are categories, numbers too; a calibrated campaign also takes a text column
                              as a category unless it looks like names (no value twice in more than 24 rows),
                              notes (mostly empty) or numbers, or has more than 1,000 different values
  --marker TEXT=MEANING       what a text means in place of a number
  --measured FILE             earlier measurements
  --budget N                  measurements in all
  --batch N, -n N             measurements at a time
  --show N                    rows to print
  --repetitions N             how often a simulation is run
  --format table|csv|json     what to print; --json is short for --format json
  --out FILE                  also write the answer to a file
                              (report: the page; demo, reproduce: the folder)
",
    ),
];

/// The page for `elfving help TOPIC`; none where the words ask for something else.
pub(crate) fn page(arguments: &[OsString]) -> Option<&'static str> {
    let words: Vec<&str> = arguments.iter().skip(1).map(|word| word.to_str().unwrap_or_default()).collect();
    let topic = match words.as_slice() {
        ["help", topic] => topic,
        _ => return None,
    };
    TOPICS.iter().find(|(names, _)| names.contains(topic)).map(|(_, page)| *page)
}
