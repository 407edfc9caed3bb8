//! Runs the program in a folder of its own and shows what it did in a form that does not depend on the machine.
//! Not every test file uses all of it.

#![allow(dead_code, unreachable_pub)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with the files of one test.
pub struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    /// An empty folder.
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A folder with the shipped examples.
    pub fn with_examples() -> Self {
        let bench = Self::new();
        for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")).unwrap()
        {
            let from = entry.unwrap().path();
            std::fs::copy(&from, bench.folder.path().join(from.file_name().unwrap())).unwrap();
        }
        bench
    }

    /// Where a file of the folder is.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file.
    pub fn file(self, name: &str, content: &str) -> Self {
        std::fs::write(self.path(name), content).unwrap();
        self
    }

    /// Reads a file.
    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The program with these arguments (split at spaces, `'...'` kept together), its folder the current one.
    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_elfving"));
        command.current_dir(self.folder.path()).args(words(arguments));
        command
    }

    /// Runs the program to its end.
    pub fn run(&self, arguments: &str) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// What a run printed and how it ended.
    pub fn show(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        let mut text = format!("$ elfving {arguments}\n[exit {}]\n", output.status.code().unwrap());
        for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            if !bytes.is_empty() {
                text.push_str(&format!("--- {name}\n{}", settled(&String::from_utf8_lossy(bytes))));
            }
        }
        text
    }

    /// The JSON that a run printed, which must have ended well.
    pub fn json(&self, arguments: &str) -> serde_json::Value {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

fn words(arguments: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (k, part) in arguments.split('\'').enumerate() {
        match k % 2 {
            1 => words.push(part.to_owned()),
            _ => words.extend(part.split_whitespace().map(str::to_owned)),
        }
    }
    words
}

/// Masks what another machine prints differently: times, counts of iterations, and the last digits of numbers.
pub fn settled(text: &str) -> String {
    let masked: Vec<String> = text.split('\n').map(masked).collect();
    rounded(&without_times_and_hashes(&masked.join("\n")))
}

/// Times of the clock and the hashes that seal them: words of a fixed form.
fn without_times_and_hashes(text: &str) -> String {
    let is_hash = |word: &str| word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_iso = |word: &str| word.len() == 20 && word.starts_with("20") && word.ends_with('Z');
    let is_millis = |word: &str| word.len() == 13 && word.bytes().all(|byte| byte.is_ascii_digit());
    let in_word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == ':';
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let start = rest.find(|c: char| c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (before, from) = rest.split_at(start);
        let (word, after) = from.split_at(from.find(|c: char| !in_word(c)).unwrap_or(from.len()));
        out.push_str(before);
        let is_fraction = before.ends_with('.');
        out.push_str(match word {
            word if is_hash(word) => "[hash]",
            word if is_iso(word) || (is_millis(word) && !is_fraction) => "[time]",
            word => word,
        });
        rest = after;
    }
    out
}

/// Numbers between these words are counts or times.
const MASKED: [(&str, &str); 6] = [
    ("\"seconds\":", ","),
    ("\"iterations\":", ","),
    ("\"passes\":", ","),
    ("interior-point in ", " iterations"),
    (" iterations and ", " passes"),
    (" passes over the pool, ", " s."),
];

fn masked(line: &str) -> String {
    let mut line = line.to_owned();
    for (before, after) in MASKED {
        let found = line.find(before).and_then(|at| {
            let start = at + before.len();
            Some((start, start + line[start..].find(after)?))
        });
        if let Some((start, end)) = found {
            line.replace_range(start..end, "[n]");
        }
    }
    line
}

/// Numbers of more than eight characters keep six digits; those below a millionth are rounding.
fn rounded(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(start);
        let number = number_at(from);
        out.push_str(before);
        let part_of_a_word = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        match number.parse::<f64>() {
            Ok(x) if part_of_a_word || x == 0.0 => out.push_str(number),
            // `1e-6` is what somebody asked for, `6.7e-8` what was computed.
            Ok(x) if x < 1e-6 && number.contains('.') => out.push_str("[tiny]"),
            Ok(x) if number.len() > 8 => out.push_str(&six_digits(x).to_string()),
            _ => out.push_str(number),
        }
        rest = &from[number.len()..];
    }
    out + rest
}

fn six_digits(x: f64) -> f64 {
    format!("{x:.5e}").parse().unwrap()
}

/// The number at the beginning of a text.
fn number_at(text: &str) -> &str {
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let mut end = digits(text);
    if text[end..].starts_with('.') && digits(&text[end + 1..]) > 0 {
        end += 1 + digits(&text[end + 1..]);
    }
    for sign in ["e-", "e"] {
        if let Some(exponent) = text[end..].strip_prefix(sign)
            && digits(exponent) > 0
        {
            return &text[..end + sign.len() + digits(exponent)];
        }
    }
    &text[..end]
}

#[test]
fn what_depends_on_the_machine_is_masked() {
    let line = r#"{"value":15.000000500012,"gap":6.7e-8,"tolerance":1e-6,"seconds":0.0123,"support":[]}"#;
    assert_eq!(settled(line), r#"{"value":15,"gap":[tiny],"tolerance":1e-6,"seconds":[n],"support":[]}"#);
    let line = "Found by interior-point in 12 iterations and 3 passes over the pool, 0.120 s.";
    assert_eq!(
        settled(line),
        "Found by interior-point in [n] iterations and [n] passes over the pool, [n] s."
    );
    let hash = "1a".repeat(32);
    assert_eq!(settled(&format!("4 2026-11-16T07:56:34Z ({hash})")), "4 [time] ([hash])");
    assert_eq!(settled(r#"{"at":1794820000000,"x":1}"#), r#"{"at":[time],"x":1}"#);
    assert_eq!(settled("  value  2.00000000  weight 0.500000"), "  value  2  weight 0.500000");
    assert_eq!(
        settled("L07 E312 pool.csv:17: 1.9999999997 s * sqrt(2.000 / N)"),
        "L07 E312 pool.csv:17: 2 s * sqrt(2.000 / N)"
    );
}
