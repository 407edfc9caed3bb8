//! Calibrated campaigns: batches, repeats, records, and what they say.

use std::collections::BTreeMap;

use elfving::bandit::{
    Algorithm, Bandit, Calibrated, CalibratedSettings, Conversation, Decision, EllipsoidBest, Goal,
    Guarantee, Next, Optimism, Outcome, Plan, Policy, Question, Reading, Reason, RepeatCap, Report, Slot,
    Status, Strategy, TheoremName, Wanted, Why, conditional_statement,
};
use elfving::estimate::{Assumptions, Tails};
use elfving::numerics::Matrix;
use elfving::pool::{ChoiceId, Factorisation, PointId, Pool};
use elfving::surrogate::{Columns, Covariance, Measurement, Parameters, Space, Surrogate};
use elfving::units::Confidence;

/// A hundred rows: a number of twenty levels with a category of five.
fn table() -> Columns {
    Columns::numeric(Matrix::from_fn(100, 1, |i, _| (i % 20) as f64))
        .category((0..100).map(|i| i / 20).collect())
}

fn space() -> Space {
    Space::new(&table(), None).unwrap()
}

/// A hill over the number, of another height for each level; the best is row 72, at 17.
fn mean(row: usize) -> f64 {
    let (x, level) = ((row % 20) as f64, row / 20);
    [3.0, 9.0, 6.0, 17.0, 11.0][level] - 0.15 * (x - 12.0).powi(2)
}

fn outcome(slot: Slot) -> f64 {
    mean(slot.point.index()) + 0.5 * ((slot.id.number() as f64) * 2.399).sin()
}

fn best() -> Goal {
    Goal::Best { epsilon: 0.0 }
}

fn policy(settings: CalibratedSettings) -> Calibrated {
    Calibrated::new(space(), best(), settings).unwrap()
}

fn bandit(settings: CalibratedSettings) -> Bandit {
    Bandit::new(Box::new(policy(settings)))
}

fn play(bandit: &mut Bandit, batches: usize, batch: usize) {
    for _ in 0..batches {
        for slot in bandit.ask(batch).unwrap() {
            bandit.tell(slot.id, outcome(slot)).unwrap();
        }
    }
}

fn json(report: &Report) -> String {
    serde_json::to_string(report).unwrap()
}

#[test]
fn every_strategy_finds_the_best_row() {
    for strategy in Strategy::ALL {
        let mut bandit = bandit(CalibratedSettings::default().strategy(strategy).seed(5)).budget(60);
        play(&mut bandit, 12, 5);
        let report = bandit.report();
        assert_eq!((report.policy, report.guarantee), (strategy.name(), Guarantee::Calibrated));
        assert!(mean(report.picks[0].index()) > 16.0, "{}: {:?}", strategy.name(), report.picks);
        assert!(report.epsilon.is_none() && report.eliminated.is_empty());
    }
}

#[test]
fn settled_rows_get_their_share_of_a_batch_and_no_more() {
    let cap = RepeatCap { settled: 3, first: 0.25, growth: 0.5 };
    let settings = CalibratedSettings::default().repeats(cap).optimism(Optimism::constant(1.0));
    let mut bandit = bandit(settings).budget(160);
    let mut measured: BTreeMap<PointId, u64> = BTreeMap::new();
    let mut repeated = 0;
    for batch in 0..20 {
        let slots = bandit.ask(8).unwrap();
        let mut settled = 0.0;
        for slot in &slots {
            let times = measured.entry(slot.point).or_default();
            settled += f64::from(u8::from(*times >= 3));
            *times += 1;
        }
        let allowed: f64 = 8.0 * (0.25 + 0.5 * (8 * batch) as f64 / 160.0);
        assert!(settled <= allowed.round(), "batch {batch}: {settled} of {allowed}");
        repeated += settled as u64;
        let plan = bandit.plan().unwrap();
        let says = plan.why().iter().filter(|why| matches!(why, Why::Repeat { .. })).count();
        assert_eq!(says as f64, settled, "the plan says which are repeats");
        for slot in slots {
            bandit.tell(slot.id, outcome(slot)).unwrap();
        }
    }
    assert!(repeated > 20, "the cap was never reached: {repeated}");
}

#[test]
fn pending_slots_count_as_measured() {
    let mut policy = policy(CalibratedSettings::default().optimism(Optimism::constant(3.0)));
    let rows = [(0, 3.0), (15, 5.0), (33, 8.0), (66, 15.0), (90, 12.0), (99, 5.0)];
    let earlier: Vec<_> = rows.iter().map(|&(row, y)| (PointId::new(row), Reading::Value(y))).collect();
    assert!(policy.earlier(&earlier).unwrap());
    let (first, _) = policy.choose(3, &[]).unwrap();
    let (later, _) = policy.choose(2, &first[..1]).unwrap();
    assert_eq!(first[1..], later, "the first slot pending, the others follow as they did");
    assert_ne!(policy.choose(1, &first).unwrap().0, first[..1]);
}

#[test]
fn a_horizon_counts_what_was_asked_for_and_not_what_was_brought() {
    let goal = Goal::Regret { horizon: Some(12) };
    let policy = Calibrated::new(space(), goal, CalibratedSettings::default()).unwrap();
    let mut bandit = Bandit::new(Box::new(policy));
    let earlier: Vec<_> = (0..20)
        .map(|k| (PointId::new(5 * k), Reading::Repeats(vec![mean(5 * k), mean(5 * k) + 0.1])))
        .collect();
    bandit.earlier(&earlier).unwrap();
    let mut asked = 0;
    for _ in 0..4 {
        let slots = bandit.ask(5).unwrap();
        asked += slots.len();
        for slot in slots {
            bandit.tell(slot.id, outcome(slot)).unwrap();
        }
    }
    assert_eq!((asked, bandit.report().status), (12, Status::Finished(Reason::Horizon)));
}

#[test]
fn the_first_batch_is_random_and_different_rows() {
    let start = |seed| {
        let Next::Measure(plan) =
            policy(CalibratedSettings::default().seed(seed)).plan(&Wanted::batch(30)).unwrap()
        else {
            panic!("a plan")
        };
        assert!(plan.why().iter().all(|why| *why == Why::Start));
        plan.measurements.points()
    };
    let (points, other) = (start(1), start(2));
    let mut different = points.clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), 30);
    assert_ne!(points, other);
    // Part of the file format of a campaign: a change here is a numerical change.
    let first: Vec<usize> = points.iter().take(5).map(|id| id.index()).collect();
    assert_eq!(first, PINNED_START);
}

const PINNED_START: [usize; 5] = [18, 21, 45, 81, 79];

#[test]
fn repeats_and_errors_are_taken_as_they_are() {
    let told = |readings: &[(usize, Reading)]| {
        let mut bandit = bandit(CalibratedSettings::default());
        let readings: Vec<_> =
            readings.iter().map(|(row, reading)| (PointId::new(*row), reading.clone())).collect();
        assert!(bandit.earlier(&readings).unwrap());
        bandit.report()
    };
    let value = |row: usize, y: f64| (row, Reading::Value(y));
    let some = || vec![value(3, 1.0), value(25, 7.0), value(50, 5.5), value(71, 15.0), value(95, 8.0)];
    let apart = told(&[some(), vec![value(68, 14.0), value(68, 15.0)]].concat());
    let together = told(&[some(), vec![(68, Reading::Repeats(vec![14.0, 15.0]))]].concat());
    assert_eq!(json(&apart), json(&together));

    let width = |report: &Report| {
        let own = report.intervals.iter().find(|interval| interval.choice == ChoiceId::new(68)).unwrap();
        own.upper - own.lower
    };
    let error = |standard_error| {
        told(&[some(), vec![(68, Reading::WithError { value: 14.5, standard_error })]].concat())
    };
    assert!(width(&error(0.01)) < 0.5 * width(&error(2.0)));
}

/// A bandit, and what was on record after each round.
fn recorded(settings: &CalibratedSettings) -> (Bandit, Vec<Conversation>) {
    let mut live = bandit(settings.clone()).budget(60);
    let mut record = Vec::new();
    for _ in 0..6 {
        for slot in live.ask(6).unwrap() {
            live.tell(slot.id, outcome(slot)).unwrap();
        }
        record.push(live.conversation().clone());
    }
    (live, record)
}

/// The policy of these settings, gone on with a record.
fn restored(settings: &CalibratedSettings, record: &Conversation) -> Bandit {
    Bandit::restore(Box::new(policy(settings.clone())), record.clone()).unwrap().budget(60)
}

#[test]
fn a_record_replays_with_the_parameters_it_holds() {
    for strategy in [Strategy::Ucb, Strategy::Thompson, Strategy::Mixed] {
        let settings = CalibratedSettings::default().strategy(strategy).seed(9);
        let (mut live, record) = recorded(&settings);
        let record = record.last().unwrap();
        assert!(record.decisions().all(|decision| decision.fitted.is_some()));
        let mut again = restored(&settings, record);
        assert_eq!(json(&again.report()), json(&live.report()));
        assert_eq!(again.ask(6).unwrap(), live.ask(6).unwrap());

        let noisier = |decision: &Decision| {
            let fitted =
                decision.fitted.clone().map(|fitted| Parameters { noise: 2.0 * fitted.noise, ..fitted });
            Decision { fitted, ..decision.clone() }
        };
        let decisions = record.decisions().map(noisier).collect();
        let mut other = record.clone();
        other.decide_again(decisions).unwrap();
        let other = restored(&settings, &other);
        assert_ne!(json(&other.report()), json(&live.report()), "the record decides, not a new fit");
    }
}

#[test]
fn how_long_a_pick_has_stood_is_counted_live_and_from_a_record() {
    let settings = CalibratedSettings::default().seed(2);
    let (live, record) = recorded(&settings);
    let standing = live.report().standing.unwrap();
    let picks: Vec<ChoiceId> =
        (1..=record.len()).map(|rounds| restored(&settings, &record[rounds - 1]).report().picks[0]).collect();
    let last = picks[picks.len() - 1];
    let stood = picks.iter().rev().take_while(|pick| **pick == last).count() as u64;
    assert_eq!(standing.rounds, stood);
    assert!(standing.measurements > 0);
    assert_eq!(standing.rivals + 1, live.report().survivors.len() as u64);
}

#[test]
fn a_report_says_no_proof_and_no_probability() {
    let mut bandit = bandit(CalibratedSettings::default());
    assert_eq!(bandit.report().survivors.len(), 100);
    play(&mut bandit, 4, 5);
    let report = bandit.report();
    let text = report.to_string();
    assert!(text.contains("no proof") && !text.contains("probability"), "{text}");
    let pick = report.intervals.iter().find(|interval| interval.choice == report.picks[0]).unwrap();
    for interval in &report.intervals {
        assert!(interval.lower <= interval.estimate && interval.estimate <= interval.upper);
        assert!(interval.upper >= pick.lower, "survivors reach into the interval of the pick");
    }
}

#[test]
fn choices_that_cannot_be_measured_are_chosen_among() {
    // Even numbers can be measured, odd ones are wanted.
    let columns = |parity: usize| {
        Columns::numeric(Matrix::from_fn(50, 1, |i, _| (2 * (i % 10) + parity) as f64))
            .category((0..50).map(|i| i / 10).collect())
    };
    let truth = |row: usize, parity: usize| mean(20 * (row / 10) + 2 * (row % 10) + parity);
    let space = Space::new(&columns(0), Some(&columns(1))).unwrap();
    for strategy in [Strategy::Auto, Strategy::PosteriorXy, Strategy::Ucb] {
        let settings = CalibratedSettings::default().strategy(strategy);
        let policy = Calibrated::new(space.clone(), best(), settings).unwrap();
        let mut bandit = Bandit::new(Box::new(policy)).budget(60);
        for _ in 0..10 {
            for slot in bandit.ask(6).unwrap() {
                bandit.tell(slot.id, truth(slot.point.index(), 0)).unwrap();
            }
        }
        let report = bandit.report();
        assert!(truth(report.picks[0].index(), 1) > 16.5, "{}: {:?}", strategy.name(), report.picks);
        assert_eq!(report.standing.unwrap().measurements, 0);
    }
}

#[test]
fn what_is_measured_for_other_choices_need_not_be_good_itself() {
    let columns = |from: usize| Columns::numeric(Matrix::from_fn(30, 1, |i, _| (i + from) as f64 / 10.0));
    let space = Space::new(&columns(0), Some(&columns(20))).unwrap();
    let second_batch = |strategy: Strategy, goal: Goal| -> Vec<usize> {
        let settings = CalibratedSettings::default().strategy(strategy);
        let policy = Calibrated::new(space.clone(), goal, settings).unwrap();
        let mut bandit = Bandit::new(Box::new(policy)).budget(60);
        for slot in bandit.ask(8).unwrap() {
            bandit.tell(slot.id, -(slot.point.index() as f64 / 10.0 - 0.5).powi(2)).unwrap();
        }
        bandit.ask(8).unwrap().iter().map(|slot| slot.point.index()).collect()
    };
    let regret = Goal::Regret { horizon: Some(60) };
    assert_eq!(second_batch(Strategy::Auto, best()), second_batch(Strategy::Mixed, best()));
    assert_eq!(second_batch(Strategy::Auto, regret), second_batch(Strategy::Ucb, regret));
    assert_ne!(second_batch(Strategy::Ucb, best()), second_batch(Strategy::Mixed, best()));
}

#[test]
fn a_slot_says_whether_it_promises_or_tells_choices_apart() {
    let columns = |from: usize| Columns::numeric(Matrix::from_fn(30, 1, |i, _| (i + from) as f64 / 10.0));
    let space = Space::new(&columns(0), Some(&columns(20))).unwrap();
    let telling = |strategy: Strategy| -> Vec<bool> {
        let settings = CalibratedSettings::default().strategy(strategy);
        let mut bandit =
            Bandit::new(Box::new(Calibrated::new(space.clone(), best(), settings).unwrap())).budget(60);
        for slot in bandit.ask(8).unwrap() {
            bandit.tell(slot.id, -(slot.point.index() as f64 / 10.0 - 0.5).powi(2)).unwrap();
        }
        bandit.ask(8).unwrap();
        let reasons = bandit.plan().unwrap().why();
        reasons.iter().map(|why| matches!(why, Why::Telling { .. })).collect()
    };
    // The fourteenth measurement is a sixth one: it comes after 13 = 2 · 6 + 1.
    assert_eq!(telling(Strategy::Auto), [false, false, false, false, false, true, false, false]);
    assert_eq!(telling(Strategy::Ucb), [false; 8]);
    assert!(telling(Strategy::PosteriorXy)[0]);
}

#[test]
fn a_map_ends_when_every_interval_is_narrow_enough() {
    let policy = Calibrated::new(space(), Goal::Map { epsilon: 1.5 }, CalibratedSettings::default()).unwrap();
    let mut bandit = Bandit::new(Box::new(policy));
    while !bandit.finished() {
        play(&mut bandit, 1, 10);
        assert!(bandit.report().samples < 400, "it never ends");
    }
    let report = bandit.report();
    assert_eq!(report.status, Status::Finished(Reason::Reached));
    assert_eq!(report.intervals.len(), 100);
    let off = report.intervals.iter().filter(|i| (i.estimate - mean(i.choice.index())).abs() > 1.5).count();
    assert!(off <= 10, "{off} of 100 means are off, at nominal 90 %");
    assert!(bandit.ask(5).unwrap().is_empty());
}

#[test]
fn the_features_of_a_pool_are_columns_where_nothing_else_is_known() {
    let pool = Pool::from_features(Matrix::from_fn(40, 2, |i, j| ((i * (3 + 4 * j)) % 40) as f64)).unwrap();
    let assumed = Assumptions::new(0.1).unwrap();
    let goal = Goal::Regret { horizon: Some(25) };
    let question = Question::new(pool, assumed, goal).unwrap().seed(4);
    let mut bandit = Bandit::new("calibrated".parse::<Algorithm>().unwrap().start(question).unwrap());
    let mut samples = 0;
    loop {
        let slots = bandit.ask(10).unwrap();
        if slots.is_empty() {
            break;
        }
        for slot in slots {
            bandit.tell(slot.id, -((slot.point.index() as f64) - 20.0).powi(2)).unwrap();
            samples += 1;
        }
    }
    assert_eq!((samples, bandit.report().samples), (25, 25));
    assert_eq!(bandit.report().status, Status::Finished(Reason::Horizon));
}

#[test]
fn the_conditional_statement_is_that_of_the_ellipsoid() {
    let space = space();
    let data: Vec<Measurement> = (0..40)
        .map(|k| {
            let row = (k * 17 + k / 10) % 100;
            Measurement::new(PointId::new(row), mean(row) + 0.5 * (k as f64 * 2.399).sin())
        })
        .collect();
    let fit = Surrogate::default().fit(&space, &data, None).unwrap();
    let delta = Confidence::new(0.05).unwrap();
    let mut statement = conditional_statement(&fit, &data, ChoiceId::new(0), Some(0.4), delta).unwrap();

    // The same kernel as a matrix, the same outcomes in the same units, the ridge σ².
    let fitted = Covariance::new(&space, fit.parameters());
    let kernel = |i: usize, j: usize| 1.0 + fitted.covariance(i, j);
    let settings = Factorisation::default().residual(1e-13);
    let pool = Pool::from_gram(Matrix::from_fn(100, 100, kernel), 100, &settings).unwrap();
    let norm = 2.0 * statement.suggested_norm;
    let sigma = 0.4 / statement.unit;
    let assumed = Assumptions::new(sigma).unwrap().tails(Tails::SubGaussian).norm(norm).unwrap();
    let question = Question::new(pool, assumed, best()).unwrap().delta(delta).theorem(TheoremName::OneRidge);
    let mut ellipsoid = EllipsoidBest::new(question).unwrap().ridge(sigma * sigma).unwrap();
    let mut averages: BTreeMap<PointId, Vec<f64>> = BTreeMap::new();
    data.iter().for_each(|one| averages.entry(one.point).or_default().push(one.outcome));
    let centre = averages.values().map(|y| y.iter().sum::<f64>() / y.len() as f64).sum::<f64>();
    let centre = centre / averages.len() as f64;
    let points = data.iter().map(|one| one.point).collect();
    let outcomes: Vec<f64> = data.iter().map(|one| (one.outcome - centre) / statement.unit).collect();
    let readings: Vec<Reading> = outcomes.iter().copied().map(Reading::from).collect();
    let decision = ellipsoid.learn(&Plan::chosen(1, points), &readings).unwrap();
    ellipsoid.apply(&decision);
    let report = ellipsoid.report();

    statement = conditional_statement(&fit, &data, report.picks[0], Some(0.4), delta).unwrap();
    let (ours, theirs) = (statement.epsilon(norm), statement.unit * report.epsilon.unwrap());
    assert!((ours - theirs).abs() < 1e-5 * theirs, "{ours} {theirs}");
    assert!(statement.to_string().contains("if the truth has a norm of at most"));
}

#[test]
fn a_batch_holds_no_candidate_more_than_three_times_what_failed_included() {
    let mut bandit = bandit(CalibratedSettings::default().seed(4)).budget(200);
    let mut measured: BTreeMap<PointId, u64> = BTreeMap::new();
    let mut most = 0;
    for _ in 0..14 {
        let slots = bandit.ask(12).unwrap();
        let mut copies: BTreeMap<PointId, u64> = BTreeMap::new();
        slots.iter().for_each(|slot| *copies.entry(slot.point).or_default() += 1);
        most = most.max(copies.values().copied().max().unwrap_or(0));
        let new: Vec<&Slot> = slots.iter().filter(|slot| slot.id.number() as usize >= 12).collect();
        let replicates = new.iter().filter(|slot| measured.contains_key(&slot.point)).count();
        assert!(replicates <= 6, "{replicates} of 12 are replicates");
        for (k, slot) in slots.iter().enumerate() {
            if k >= slots.len() - 2 && !bandit.conversation().open().any(|(.., open)| open.failures > 0) {
                bandit.tell(slot.id, Outcome::Failed).unwrap();
            } else {
                bandit.tell(slot.id, outcome(*slot)).unwrap();
                *measured.entry(slot.point).or_default() += 1;
            }
        }
    }
    assert_eq!(most, 3, "as many as a lab accepts, and no more");
}

#[test]
fn the_model_learns_where_things_fail_and_steers_away() {
    // The best level by far never works.
    let impossible = |point: PointId| point.index() / 20 == 3;
    let mut bandit = bandit(CalibratedSettings::default().seed(4)).budget(120);
    let mut tried = Vec::new();
    while !bandit.finished() {
        for slot in bandit.ask(10).unwrap() {
            tried.push(impossible(slot.point));
            if impossible(slot.point) {
                bandit.tell(slot.id, Outcome::Infeasible).unwrap();
            } else {
                bandit.tell(slot.id, outcome(slot)).unwrap();
            }
        }
    }
    assert_eq!(tried.len(), 120, "it ends by itself");
    let late = tried[30..].iter().filter(|failed| **failed).count();
    assert!(late * 100 <= 15 * 90, "{late} of the last 90 could not work");
    let report = bandit.report();
    assert!(report.picks.iter().all(|pick| !impossible(PointId::new(pick.index()))));
    assert!(mean(report.picks[0].index()) > 10.0, "the best of those that work is at 11");
}
