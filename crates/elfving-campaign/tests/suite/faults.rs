//! What happens when things go wrong around a campaign: kills, full disks, locks, many writers.
//!
//! Processes that must be killed or limited are this test binary itself, run again with the test `child` alone.

use crate::support;

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use elfving::bandit::{Outcome, Reading};
use elfving::numerics::rng::{Purpose, stream};
use elfving_campaign::{At, Campaign, CampaignError, Event, TellOptions};
use support::*;

/// The command that runs `child` with a task on a campaign.
fn process(task: &str, path: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "faults::child", "--ignored", "--nocapture"]);
    command.env("CHILD_TASK", task).env("CHILD_CAMPAIGN", path).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// What a child said, line by line.
fn said(mut child: Child) -> Vec<String> {
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    child.wait().unwrap();
    spoken(&text)
}

/// The complete lines that a child said.
fn spoken(text: &str) -> Vec<String> {
    let whole = &text[..text.rfind('\n').unwrap_or(0)];
    whole.lines().filter_map(|line| line.strip_prefix("child: ").map(str::to_owned)).collect()
}

fn say(what: &str) {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "child: {what}").unwrap();
    stdout.flush().unwrap();
}

#[test]
#[ignore = "run by the other tests, in a process of its own"]
fn child() {
    let (Ok(task), Ok(path)) = (std::env::var("CHILD_TASK"), std::env::var("CHILD_CAMPAIGN")) else { return };
    let (task, argument) = task.split_once(' ').unwrap_or((&task, ""));
    match task {
        "work" => work(Path::new(&path)),
        "tell" => {
            let mut campaign = Campaign::open(&path).unwrap();
            match tell(&mut campaign, &std::fs::read_to_string(argument).unwrap(), 5) {
                Ok(told) => say(&format!("recorded {} repeated {}", told.recorded, told.repeated)),
                Err(error) => say(&format!("refused {error}")),
            }
        }
        "read-only" => read_only(Path::new(&path)),
        "robot" => robot(Path::new(&path), argument),
        other => panic!("{other}"),
    }
}

/// Asks and tells pairs of slots for ever, and says what was acknowledged.
fn work(path: &Path) {
    let mut campaign = Campaign::open(path).unwrap();
    loop {
        let batch = campaign.ask(None, At(1)).unwrap();
        say(&format!("asked {}", batch.rows.len()));
        for pair in batch.rows.chunks(2) {
            let outcomes: Vec<(&str, Outcome)> =
                pair.iter().map(|row| (row.slot.as_str(), Outcome::from(value(&row.slot)))).collect();
            campaign.tell_outcomes(&outcomes, &TellOptions::default(), At(2)).unwrap();
            let slots: Vec<&str> = pair.iter().map(|row| row.slot.as_str()).collect();
            say(&format!("told {}", slots.join(" ")));
        }
    }
}

/// Asks for three slots under its name and tells them one by one, for ever; every seventh slot fails once.
fn robot(path: &Path, name: &str) {
    let mut campaign = Campaign::open(path).unwrap();
    loop {
        let batch = match campaign.ask_for(Some(name), Some(3), At(1)) {
            Ok(batch) => batch,
            // Eight at once and a slow disk: it asks again.
            Err(CampaignError::Locked { .. }) => continue,
            Err(error) => panic!("{error}"),
        };
        for row in &batch.rows {
            let number = elfving_table::slot_index(&row.slot).unwrap();
            let fails = number % 7 == 3 && !row.failed_before;
            let outcome = if fails { Outcome::Failed } else { Outcome::from(value(&row.slot)) };
            match campaign.tell_outcomes(&[(&row.slot, outcome)], &TellOptions::default(), At(2)) {
                Ok(_) if fails => say(&format!("failed {}", row.slot)),
                Ok(_) => say(&format!("told {}", row.slot)),
                Err(CampaignError::Locked { .. }) => break,
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// What is measured in a slot.
fn value(slot: &str) -> f64 {
    elfving_table::slot_index(slot).unwrap() as f64 / 7.0
}

/// Kills a working child at random moments; everything it acknowledged is there once, and nothing in part.
fn kill_at_random_moments(times: u64) {
    let lab = Lab::new();
    drop(lab.create(random().batch(6)));
    let mut moments = stream(11, 0, Purpose::new("kills"));
    let mut acknowledged: Vec<String> = Vec::new();
    for _ in 0..times {
        let mut running = process("work", &lab.path()).spawn().unwrap();
        let mut stdout = BufReader::new(running.stdout.take().unwrap());
        let mut text = String::new();
        // Most are killed at work, some while they open the file.
        let at_work = moments.below(10) > 0;
        while at_work && !text.contains("child: ") {
            stdout.read_line(&mut text).unwrap();
        }
        std::thread::sleep(Duration::from_micros(moments.below(60_000)));
        running.kill().unwrap();
        stdout.read_to_string(&mut text).unwrap();
        running.wait().unwrap();
        let lines = spoken(&text);
        let told = lines.iter().filter_map(|line| line.strip_prefix("told "));
        acknowledged.extend(told.flat_map(|slots| slots.split(' ').map(str::to_owned)));

        let campaign = lab.open();
        let told = told_once(&campaign);
        for slot in &acknowledged {
            let number = elfving_table::slot_index(slot).unwrap();
            assert_eq!(told.get(&number), Some(&Reading::Value(value(slot))), "{slot} was acknowledged");
        }
        assert_eq!(campaign.slots().unwrap().len() % 6, 0, "a batch is handed out whole");
    }
    let verification = lab.open().verify().unwrap();
    assert_eq!(verification.differing, [0; 0]);
    assert!(acknowledged.len() as u64 > times, "{} outcomes in {times} lives", acknowledged.len());
    // What a dead writer leaves beside the file is cleared away by the next one; asking again writes nothing.
    let mut campaign = lab.open();
    let batch = campaign.ask(None, At(3)).unwrap();
    let slot = batch.rows[0].slot.as_str();
    campaign.tell_outcomes(&[(slot, value(slot).into())], &TellOptions::default(), At(4)).unwrap();
    assert_eq!(lab.files(), ["lab.elfving"]);
}

/// Every outcome of the log; panics where a slot was told twice or a pair was told in part.
fn told_once(campaign: &Campaign) -> HashMap<usize, Reading> {
    let mut told = HashMap::new();
    for recorded in campaign.log().unwrap() {
        if let Event::Told(telling) = recorded.event {
            assert_eq!(telling.results.len(), 2, "a pair is told whole");
            for (slot, reading) in telling.results {
                assert_eq!(told.insert(slot, reading), None, "slot {slot} was told twice");
            }
        }
    }
    told
}

#[test]
fn fifty_kills_lose_nothing_and_double_nothing() {
    kill_at_random_moments(50);
}

#[test]
#[ignore = "slow: two thousand processes"]
fn two_thousand_kills_lose_nothing_and_double_nothing() {
    kill_at_random_moments(2_000);
}

#[test]
fn eight_processes_tell_at_once_and_nothing_is_lost_or_doubled() {
    let lab = Lab::new();
    let mut campaign = lab.create(random().batch(64));
    let batch = campaign.ask(None, At(1)).unwrap();
    // Each has eight lines of its own and eight of its neighbour's.
    let children: Vec<Child> = (0..8)
        .map(|k| {
            let lines: String = (0..16)
                .map(|j| &batch.rows[(8 * k + j) % 64])
                .map(|row| format!("{},{}\n", row.slot, value(&row.slot)))
                .collect();
            let file = lab.file(&format!("results-{k}.csv"));
            std::fs::write(&file, format!("slot,yield\n{lines}")).unwrap();
            process(&format!("tell {}", file.display()), &lab.path()).spawn().unwrap()
        })
        .collect();
    let mut recorded = 0;
    for child in children {
        let lines = said(child);
        let words: Vec<&str> = lines[0].split(' ').collect();
        assert_eq!(words[0], "recorded", "{lines:?}");
        recorded += words[1].parse::<usize>().unwrap();
        assert_eq!(words[1].parse::<usize>().unwrap() + words[3].parse::<usize>().unwrap(), 16);
    }
    assert_eq!(recorded, 64);
    let campaign = lab.open();
    let mut told: Vec<usize> = campaign
        .log()
        .unwrap()
        .into_iter()
        .flat_map(|recorded| match recorded.event {
            Event::Told(telling) => telling.results.into_iter().map(|(slot, _)| slot).collect(),
            _ => Vec::new(),
        })
        .collect();
    told.sort_unstable();
    assert_eq!(told, (0..64).collect::<Vec<_>>());
    let closed = campaign.rounds().filter(|round| round.decision.is_some()).count();
    assert_eq!(closed, 1, "the last one decided the round, once");
}

/// Eight robots at once, one of them killed at every random moment and started again. No slot is with two of them, what was acknowledged is on
/// record once, and a robot that comes back gets its own slots.
fn kill_robots_at_random_moments(times: u64) {
    let lab = Lab::new();
    drop(lab.create(certified().goal(elfving::bandit::Goal::Regret { horizon: None }).tries(9)));
    let start = |k: usize| {
        let mut child = process(&format!("robot r{k}"), &lab.path()).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let reader = std::thread::spawn(move || {
            let mut text = String::new();
            stdout.read_to_string(&mut text).unwrap();
            text
        });
        (child, reader)
    };
    let mut moments = stream(12, 0, Purpose::new("kills"));
    let mut robots: Vec<_> = (0..8).map(start).collect();
    let mut acknowledged: Vec<String> = Vec::new();
    let mut end = |(mut child, reader): (Child, std::thread::JoinHandle<String>)| {
        child.kill().unwrap();
        child.wait().unwrap();
        let lines = spoken(&reader.join().unwrap());
        acknowledged.extend(lines.iter().filter_map(|line| line.strip_prefix("told ")).map(str::to_owned));
    };
    std::thread::sleep(Duration::from_millis(300));
    for _ in 0..times {
        std::thread::sleep(Duration::from_micros(20_000 + moments.below(80_000)));
        let k = moments.below(8) as usize;
        end(std::mem::replace(&mut robots[k], start(k)));
    }
    std::thread::sleep(Duration::from_millis(300));
    robots.into_iter().for_each(&mut end);

    // Who has a slot keeps it until it is told or fails.
    let campaign = lab.open();
    let mut holder: HashMap<usize, Option<String>> = HashMap::new();
    let (mut slots, mut told) = (0, HashMap::new());
    for recorded in campaign.log().unwrap() {
        match recorded.event {
            Event::Asked(handing) => {
                let new = match handing.plan {
                    Some(plan) => plan.measurements.len(),
                    None => 0,
                };
                for slot in handing.again.iter().copied().chain(slots..slots + new) {
                    let before = holder.insert(slot, handing.worker.clone()).flatten();
                    assert!(before.is_none() || before == handing.worker, "slot {slot}: {before:?} has it");
                }
                slots += new;
            }
            Event::Told(telling) => {
                for (slot, reading) in telling.results {
                    assert_eq!(told.insert(slot, reading), None, "slot {slot} was told twice");
                }
            }
            Event::Failed(failing) => failing.slots.iter().for_each(|slot| {
                assert!(holder.contains_key(slot), "slot {slot} failed and nobody had it");
            }),
            _ => {}
        }
    }
    for slot in &acknowledged {
        let number = elfving_table::slot_index(slot).unwrap();
        assert_eq!(told.get(&number), Some(&Reading::Value(value(slot))), "{slot} was acknowledged");
    }
    assert!(acknowledged.len() as u64 > times, "{} outcomes in {times} lives", acknowledged.len());
    assert!((0..slots).all(|slot| told.contains_key(&slot) || holder.contains_key(&slot)), "none is lost");
    assert_eq!(campaign.verify().unwrap().differing, Vec::<u64>::new());
}

#[test]
fn eight_robots_that_are_killed_never_share_a_slot() {
    kill_robots_at_random_moments(25);
}

#[test]
#[ignore = "slow: two thousand processes"]
fn eight_robots_that_are_killed_two_thousand_times_never_share_a_slot() {
    kill_robots_at_random_moments(2_000);
}

#[test]
fn a_lock_is_waited_for_and_then_named() {
    let lab = Lab::new();
    let mut campaign = lab.create(certified());
    let other = rusqlite::Connection::open(lab.path()).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let start = Instant::now();
    let error = campaign.ask(None, At(1)).unwrap_err();
    assert!(matches!(error, CampaignError::Locked { .. }), "{error}");
    assert!((4.5..20.0).contains(&start.elapsed().as_secs_f64()), "{:?}", start.elapsed());
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(campaign.ask(None, At(2)).unwrap().rows.len(), 4);
}

#[test]
fn a_full_disk_is_a_clean_error_and_the_campaign_goes_on_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=160k", "tmpfs"])
        .arg(folder.path())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !mounted {
        eprintln!("not allowed to mount a small disk: the limit on file sizes is tested alone");
        return;
    }
    let unmount = || Command::new("umount").arg(folder.path()).status().unwrap();
    let outcome = std::panic::catch_unwind(|| {
        let path = folder.path().join("lab.elfving");
        let mut campaign = Campaign::create(&path, random().batch(400), &[pool()], At(1)).unwrap();
        let error = loop {
            match full_round(&mut campaign) {
                Ok(()) => {}
                Err(error) => break error,
            }
        };
        assert!(matches!(error, CampaignError::Durability { .. }), "{error}");
        let before = campaign.head().event;
        let reopened = Campaign::open(&path).unwrap();
        assert_eq!(reopened.head().event, before, "the previous state is intact");
        reopened.verify().unwrap();
        // A copy on a larger disk goes on where this one stopped.
        let elsewhere = tempfile::tempdir().unwrap();
        let copy = elsewhere.path().join("lab.elfving");
        std::fs::copy(&path, &copy).unwrap();
        full_round(&mut Campaign::open(&copy).unwrap()).unwrap();
    });
    unmount();
    outcome.unwrap();
}

fn full_round(campaign: &mut Campaign) -> Result<(), CampaignError> {
    let batch = campaign.ask(None, At(1))?;
    let outcomes: Vec<(&str, Outcome)> =
        batch.rows.iter().map(|row| (row.slot.as_str(), Outcome::from(value(&row.slot)))).collect();
    campaign.tell_outcomes(&outcomes, &TellOptions::default(), At(2)).map(drop)
}

#[test]
fn a_limit_on_the_size_of_files_is_a_clean_error() {
    let lab = Lab::new();
    let mut campaign = lab.create(random().batch(2_000));
    let batch = campaign.ask(None, At(1)).unwrap();
    let before = campaign.head().event;
    let results = lab.file("results.csv");
    let lines: String = batch.rows.iter().map(|row| format!("{},{}\n", row.slot, value(&row.slot))).collect();
    std::fs::write(&results, format!("slot,yield\n{lines}")).unwrap();
    let size = std::fs::metadata(lab.path()).unwrap().len();
    // In blocks of 512 or 1024 bytes, as the shell likes: a little above the file as it is, either way.
    let blocks = size.div_ceil(1024) + 4;
    let command = process(&format!("tell {}", results.display()), &lab.path());
    let mut limited = Command::new("sh");
    limited.arg("-c").arg(format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\""));
    limited.arg(command.get_program()).args(command.get_args()).stdout(Stdio::piped()).stderr(Stdio::null());
    limited.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let lines = said(limited.spawn().unwrap());
    assert!(lines[0].starts_with("refused") && lines[0].contains("cannot be written"), "{lines:?}");
    let mut campaign = lab.open();
    assert_eq!(campaign.head().event, before);
    assert_eq!(tell(&mut campaign, &std::fs::read_to_string(&results).unwrap(), 9).unwrap().recorded, 2_000);
}

#[test]
fn a_read_only_file_can_be_read_and_not_written() {
    let lab = Lab::new();
    let mut campaign = lab.create(certified());
    campaign.ask(None, At(1)).unwrap();
    drop(campaign);
    let folder = lab.path().parent().unwrap().to_owned();
    let protect = |mode| std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode)).unwrap();
    std::fs::set_permissions(lab.path(), std::fs::Permissions::from_mode(0o444)).unwrap();
    protect(0o555);
    // To root nothing is read-only: then the child is somebody else.
    let is_root = std::fs::write(lab.file("probe"), "").is_ok();
    let mut command = process("read-only", &lab.path());
    if is_root {
        command.uid(65_534).gid(65_534);
    }
    let lines = said(command.spawn().unwrap());
    protect(0o755);
    assert_eq!(lines, ["read 4 slots", "refused as it should be"]);
}

fn read_only(path: &Path) {
    let mut campaign = Campaign::open(path).unwrap();
    campaign.status().unwrap();
    campaign.verify().unwrap();
    let batch = campaign.ask(None, At(2)).unwrap();
    say(&format!("read {} slots", batch.rows.len()));
    let told = campaign.tell_outcomes(&[(&batch.rows[0].slot, 1.0.into())], &TellOptions::default(), At(3));
    match told {
        Err(CampaignError::Durability { .. }) => say("refused as it should be"),
        other => say(&format!("{other:?}")),
    }
}

#[test]
fn a_killed_creation_leaves_no_campaign_or_a_whole_one() {
    // A campaign gets its name when it is complete: before that there is only a temporary file.
    let lab = Lab::new();
    std::fs::write(lab.file(".new-abc.elfving"), "half a file").unwrap();
    assert!(matches!(Campaign::open(lab.path()), Err(CampaignError::Missing { .. })));
    drop(lab.create(certified()));
    lab.open().verify().unwrap();
}
