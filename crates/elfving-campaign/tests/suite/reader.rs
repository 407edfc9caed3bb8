//! Files of results: what is understood, what is refused, and that nothing else happens.

use crate::support;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use elfving::bandit::Reading;
use elfving::numerics::rng::{Purpose, stream};
use elfving::units::ErrorKind;
use elfving_campaign::{
    At, Campaign, CampaignError, ResultsFile, ResultsFormat, SlotStory, TellOptions, Told,
};
use elfving_table::{Code, Decimal};
use support::*;

/// A campaign with four open slots: S0001C b3, S0002E a1, S0003G a3, S0004J a3.
fn asked(lab: &Lab) -> Campaign {
    let mut campaign = lab.create(random());
    let ids: Vec<String> = campaign.ask(None, At(1)).unwrap().rows.into_iter().map(|row| row.id).collect();
    assert_eq!(ids, ["b3", "a1", "a3", "a3"]);
    campaign
}

fn tell_as(campaign: &mut Campaign, csv: &str, format: &ResultsFormat) -> Result<Told, CampaignError> {
    let results = ResultsFile::from_bytes("results.csv", csv.as_bytes(), format)?;
    campaign.tell(&results, &TellOptions::default(), At(2))
}

/// Tells one file to a new campaign and gives the readings.
fn readings(csv: &str, format: &ResultsFormat) -> Vec<Option<Reading>> {
    let lab = Lab::quick();
    let mut campaign = asked(&lab);
    tell_as(&mut campaign, csv, format).unwrap();
    campaign.slots().unwrap().into_iter().map(|SlotStory { reading, .. }| reading).collect()
}

/// The codes of a refusal and its text.
fn refusal(csv: &str, format: &ResultsFormat) -> (Vec<Code>, String) {
    let lab = Lab::quick();
    let mut campaign = asked(&lab);
    let before = campaign.head().event;
    let error = tell_as(&mut campaign, csv, format).unwrap_err();
    assert_eq!(campaign.head().event, before, "nothing was written");
    assert!(campaign.slots().unwrap().iter().all(|slot| slot.state == "open"));
    let CampaignError::Table(table) = &error else { panic!("{error}") };
    (table.problems().iter().map(|problem| problem.code).collect(), error.to_string())
}

fn plain() -> ResultsFormat {
    ResultsFormat::default()
}

#[test]
fn numbers_repeats_and_errors_are_read_as_they_were_meant() {
    let format = ResultsFormat { error_column: Some("se".into()), ..plain() };
    let csv = "slot,yield,se,note\nS0003G,0.5;0.6;0.4,,x\nS0001C,0.5,0.1,\nS0002E, -1e-3 ,,\nS0004J,,,\n";
    assert_eq!(
        readings(csv, &format),
        [
            Some(Reading::WithError { value: 0.5, standard_error: 0.1 }),
            Some(Reading::Value(-1e-3)),
            Some(Reading::Repeats(vec![0.5, 0.6, 0.4])),
            None
        ]
    );
}

#[test]
fn repeats_may_have_columns_or_lines_of_their_own() {
    let format = ResultsFormat { repeats: vec!["y1".into(), "y2".into(), "y3".into()], ..plain() };
    let csv = "slot,y1,y2,y3\nS0001C,1,,3\nS0002E,2,,\nS0003G,,,\n";
    let repeats = |values: &[f64]| Some(Reading::Repeats(values.to_vec()));
    assert_eq!(readings(csv, &format), [repeats(&[1.0, 3.0]), Some(Reading::Value(2.0)), None, None],);
    let format = ResultsFormat { repeated_slots: true, ..plain() };
    let csv = "slot,yield,status\nS0001C,1,\nS0002E,2,\nS0001C,3,\nS0001C,,failed\n";
    let lab = Lab::quick();
    let mut campaign = asked(&lab);
    let told = tell_as(&mut campaign, csv, &format).unwrap();
    assert_eq!((told.read, told.recorded, told.open), (4, 4, 2));
    assert_eq!(campaign.slots().unwrap()[0].reading, repeats(&[1.0, 3.0]));
    assert_eq!(tell_as(&mut campaign, csv, &format).unwrap().repeated, 4);
}

#[test]
fn declared_texts_mean_what_was_declared_and_others_are_refused() {
    let markers = ["n.d.=failed", "<1=0.5", "-999=failed"].map(|text| text.parse().unwrap()).to_vec();
    let format = ResultsFormat { markers, ..plain() };
    let csv = "slot,yield\nS0001C,n.d.\nS0002E,<1\nS0003G,-999\nS0004J,2\n";
    let lab = Lab::quick();
    let mut campaign = asked(&lab);
    let told = tell_as(&mut campaign, csv, &format).unwrap();
    assert_eq!((told.recorded, told.failed, told.open), (2, 2, 2));
    assert_eq!(campaign.slots().unwrap()[1].reading, Some(Reading::Value(0.5)));
    let (codes, text) = refusal(csv, &plain());
    assert_eq!(codes, [Code::NotANumber, Code::NotANumber]);
    assert!(text.contains("\"n.d.\" is text where a number is needed"), "{text}");
    assert!(text.contains("declare what the text means"), "{text}");
    assert!("n.d.".parse::<elfving_campaign::OutcomeMarker>().is_err());
    assert!("n.d.=NaN".parse::<elfving_campaign::OutcomeMarker>().is_err());
}

#[test]
fn decimal_commas_are_read_where_they_are_declared_and_never_guessed() {
    let csv = "slot;yield\nS0001C;0,51\nS0002E;1,5;\n";
    assert_eq!(refusal(csv, &plain()).0, [Code::RaggedRow]);
    let csv = "slot;yield\nS0001C;0,51\nS0002E;\"0,5;0,7\"\n";
    let (codes, text) = refusal(csv, &plain());
    assert_eq!(codes, [Code::OtherNotation; 2]);
    assert!(text.contains("if the file has decimal commas, declare them"), "{text}");
    let format = ResultsFormat { decimal: Decimal::Comma, ..plain() };
    assert_eq!(
        readings(csv, &format)[..2],
        [Some(Reading::Value(0.51)), Some(Reading::Repeats(vec![0.5, 0.7]))]
    );
}

#[test]
fn every_problem_of_a_file_is_listed_and_nothing_is_written() {
    let csv = "slot,id,yield,status\n\
               S0001C,b3,NaN,\n\
               S0002E,a1,1e999,\n\
               S0020E,a1,1,\n\
               S0012,a1,1,\n\
               S0003G,a1,1,\n\
               S0004J,a3,1,\n\
               S0004J,a3,1,\n\
               ,,1,\n\
               ,,,\n";
    let (codes, text) = refusal(csv, &plain());
    use Code::*;
    assert_eq!(
        codes,
        [NotFinite, NotFinite, UnknownSlot, UnknownSlot, WrongCandidate, DuplicateSlot, UnknownSlot]
    );
    for part in [
        "results.csv:2: column \"yield\": \"NaN\" is not a finite number",
        "for a failed run leave the cell empty and set status=failed",
        "results.csv:4: column \"slot\": \"S0020E\" is not a slot of this campaign",
        "the nearest slot is S0002E",
        "results.csv:6: slot S0003G is for candidate \"a3\", the line says \"a1\"",
        "results.csv:8: column \"slot\": slot S0004J is also on line 7",
        "results.csv:9: column \"slot\": the line has no slot",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let many: String = (0..30).map(|k| format!("X{k},1\n")).collect();
    let (codes, text) = refusal(&format!("slot,yield\n{many}"), &plain());
    assert_eq!(codes.len(), 20);
    assert!(text.ends_with("and 10 more problems, 30 in all"), "{text}");
}

#[test]
fn a_status_that_contradicts_its_outcome_is_refused() {
    for (line, part) in [
        ("S0001C,1,failed", "the run failed, but its outcome is 1"),
        ("S0001C,,ok", "the status is ok, but there is no outcome"),
        ("S0001C,1,maybe", "\"maybe\" is not a status"),
    ] {
        let (codes, text) = refusal(&format!("slot,yield,status\n{line}\n"), &plain());
        assert_eq!(codes, [Code::BadStatus], "{line}");
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_standard_error_belongs_to_one_number_and_is_above_zero() {
    let format = ResultsFormat { error_column: Some("se".into()), ..plain() };
    for line in ["S0001C,1,0", "S0001C,1,-1", "S0001C,1;2,0.1", "S0001C,,0.1"] {
        assert_eq!(refusal(&format!("slot,yield,se\n{line}\n"), &format).0, [Code::BadError], "{line}");
    }
    assert_eq!(refusal("slot,yield\nS0001C,1\n", &format).0, [Code::NoSuchColumn]);
}

#[test]
fn a_file_without_slots_or_without_the_outcome_is_refused_with_the_columns_there_are() {
    let (codes, text) = refusal("name,yield\na1,1\n", &plain());
    assert_eq!(codes, [Code::NoSuchColumn]);
    assert!(text.contains("there is no column \"slot\"") && text.contains("\"name\", \"yield\""), "{text}");
    assert!(refusal("slot,Yield\nS0001C,1\n", &plain()).1.contains("there is no column \"yield\""));
}

#[test]
fn sheets_that_libreoffice_saved_are_accepted() {
    // The batch was opened in LibreOffice 7.4, filled in (1234.50 was typed), and saved in three ways.
    for name in ["plain", "quoted", "semicolons"] {
        let file =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/libreoffice-{name}.csv"));
        let lab = Lab::quick();
        let mut campaign = asked(&lab);
        let results = ResultsFile::read(&file, &plain()).unwrap();
        let told = campaign.tell(&results, &TellOptions::default(), At(2)).unwrap();
        assert_eq!((told.read, told.recorded, told.failed, told.blank), (4, 2, 1, 1), "{name}");
        let slots = campaign.slots().unwrap();
        assert_eq!(slots[0].reading, Some(Reading::Value(1234.5)));
        assert_eq!(slots[2].reading, Some(Reading::Value(-0.000_125)));
    }
}

#[test]
fn earlier_measurements_are_read_by_candidate() {
    let file = |csv: &str| ResultsFile::from_bytes("done.csv", csv.as_bytes(), &plain()).unwrap();
    let ids = ["007", "b"].into_iter().collect();
    let measured =
        file("id,yield,status\n007,1,\nb,2;3,\n007,4,\nb,,failed\n").measurements("yield", "id", &ids);
    let expected = [("007", 1.0.into()), ("b", Reading::Repeats(vec![2.0, 3.0])), ("007", 4.0.into())];
    assert_eq!(measured.unwrap(), expected.map(|(id, reading)| (id.to_owned(), reading)));
    let error = file("id,yield\n07,1\n").measurements("yield", "id", &ids).unwrap_err().to_string();
    assert!(error.contains("E336") && error.contains("\"007\""), "{error}");
}

/// Files that were once worth a look; every one is replayed.
fn corpus() -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

/// Whatever the bytes: no panic, nothing half-taken, every line accounted for.
fn digest(campaign: &mut Campaign, bytes: &[u8], format: &ResultsFormat) -> bool {
    let Ok(results) = ResultsFile::from_bytes("results.csv", bytes, format) else { return false };
    let before = campaign.head().event;
    match campaign.tell(&results, &TellOptions::default().dry_run(true), At(3)) {
        Err(CampaignError::Table(_)) => {}
        // A number that no algorithm can square.
        Err(error) => assert_eq!(error.kind(), ErrorKind::Data, "{error}"),
        Ok(Told { read, recorded, repeated, corrected, failed, blank, .. }) => {
            assert_eq!(read, recorded + repeated + corrected + failed + blank);
            return recorded + failed > 0;
        }
    }
    assert_eq!(campaign.head().event, before);
    false
}

fn formats() -> [ResultsFormat; 3] {
    let markers = ["n.d.=failed", "<1=0.5"].map(|text| text.parse().unwrap()).to_vec();
    let error_column = Some("se".to_owned());
    [
        plain(),
        ResultsFormat { markers, error_column, repeated_slots: true, ..plain() },
        ResultsFormat { decimal: Decimal::Comma, repeats: vec!["y1".into(), "y2".into()], ..plain() },
    ]
}

#[test]
fn every_file_of_the_corpus_is_taken_or_refused_whole() {
    let lab = Lab::quick();
    let mut campaign = asked(&lab);
    let mut taken = 0;
    for (path, bytes) in corpus() {
        let any = formats().iter().filter(|format| digest(&mut campaign, &bytes, format)).count();
        taken += any;
        assert!(any > 0 || path.to_string_lossy().contains("refused"), "{}", path.display());
    }
    assert!(taken > 0);
}

/// Changes, cuts, doubles and mixes the files of the corpus.
fn mutate(rounds: impl Fn(u64) -> bool) -> (u64, u64) {
    let lab = Lab::quick();
    let mut campaign = asked(&lab);
    let seeds: Vec<Vec<u8>> = corpus().into_iter().map(|(_, bytes)| bytes).collect();
    let words: [&[u8]; 14] = [
        b"S0001C",
        b"failed",
        b"NaN",
        b"1e999",
        b";",
        b",",
        b"\"",
        b"\r\n",
        b"\xef\xbb\xbf",
        b"\0",
        b"\xff",
        b"n.d.",
        b"-0",
        b"0,51",
    ];
    let formats = formats();
    let mut random = stream(3, 0, Purpose::new("fuzz"));
    let (mut tried, mut taken) = (0, 0);
    while rounds(tried) {
        let mut pick = |n: usize| random.below(n as u64) as usize;
        let mut bytes = seeds[pick(seeds.len())].clone();
        for _ in 0..1 + pick(3) {
            let at = pick(bytes.len() + 1);
            match pick(6) {
                0 if at < bytes.len() => bytes[at] ^= 1 << pick(8),
                1 => bytes.truncate(at),
                2 => drop(bytes.splice(at..at, words[pick(words.len())].iter().copied())),
                3 => {
                    let other = &seeds[pick(seeds.len())];
                    let from = pick(other.len() + 1);
                    drop(bytes.splice(at.., other[from..].iter().copied()));
                }
                4 => {
                    let end = at + pick(bytes.len() - at + 1);
                    let copy = bytes[at..end].to_vec();
                    drop(bytes.splice(end..end, copy));
                }
                _ => {
                    let end = at + pick((bytes.len() - at).min(8) + 1);
                    bytes.drain(at..end);
                }
            }
        }
        tried += 1;
        taken += u64::from(formats.iter().any(|format| digest(&mut campaign, &bytes, format)));
    }
    (tried, taken)
}

#[test]
fn mutated_files_are_taken_or_refused_whole() {
    let (_, taken) = mutate(|tried| tried < 3_000);
    assert!(taken > 100, "{taken}");
}

#[test]
#[ignore = "slow: mutates files for two minutes"]
fn mutated_files_are_taken_or_refused_whole_for_minutes() {
    let start = Instant::now();
    let (tried, taken) = mutate(|_| start.elapsed() < Duration::from_secs(120));
    println!("{tried} files, {taken} taken");
}
