//! Documents: everything that rebuilds the problem, and nothing that the reader does not know.

use elfving::design::{Control, Criterion, InteriorPoint, Solver, recheck};
use elfving::units::{Ridge, Tolerance};
use elfving_problem::documents::{DesignDocument, PlanDocument, SCHEMA};
use elfving_problem::{Dataset, Measurements, Model, PoolSpec, ProblemError, Source, TargetSpec};
use elfving_table::PoolOptions;
use serde_json::{Value, json};

fn dataset() -> Dataset {
    let rows: String = (0..8).map(|i| format!("p{i},{},{}\n", i, (i * i) % 5)).collect();
    let pool = Source::Bytes { name: "pool.csv".into(), bytes: format!("id,x,y\n{rows}").into_bytes() };
    let spec = PoolSpec {
        columns: PoolOptions::default().id("id"),
        model: Model::Polynomial { degree: 1, interactions_only: false },
        ..PoolSpec::default()
    };
    Dataset::read(&pool, None, spec, 0).unwrap()
}

fn document(dataset: &Dataset, criterion: Criterion, targets: &TargetSpec) -> DesignDocument {
    let gamma = Ridge::new(0.1).unwrap();
    let pool = dataset.build(gamma.get(), 1e-6).unwrap();
    let problem = targets.problem(dataset, &pool, criterion, gamma).unwrap();
    let mut control = Control::new(Tolerance::new(1e-6).unwrap());
    let design = InteriorPoint::default().solve(&problem, &mut control).unwrap();
    DesignDocument::of(dataset, &pool, targets, &design.stated(), 1e-6, 0.0)
}

/// What the check finds for the problem that a document describes.
fn checked(document: &DesignDocument, dataset: &Dataset) -> f64 {
    let pool = dataset.build(document.gamma.get(), document.tolerance).unwrap();
    let targets = &document.options.targets;
    let problem = targets.problem(dataset, &pool, document.criterion, document.gamma).unwrap();
    let weights = document.weights(dataset).unwrap();
    recheck(&problem, &weights, &document.proof().unwrap()).unwrap().value()
}

#[test]
fn a_document_comes_back_as_it_was_and_states_the_problem_it_was_made_for() {
    let dataset = dataset();
    let some = TargetSpec::Ids(vec!["p1".into(), "p6".into()]);
    for (criterion, targets) in [
        (Criterion::G, TargetSpec::All),
        (Criterion::G, some.clone()),
        (Criterion::Xy, some.clone()),
        (Criterion::V, some),
        (Criterion::C, TargetSpec::Direction(vec![0.0, 1.0, -1.0])),
        (Criterion::D, TargetSpec::All),
    ] {
        let document = document(&dataset, criterion, &targets);
        let bytes = serde_json::to_vec(&document).unwrap();
        let again = DesignDocument::parse(&bytes).unwrap();
        assert_eq!(again, document);
        assert!(again.agrees(checked(&again, &dataset), again.value), "{criterion} for {targets:?}");
    }
}

#[test]
fn other_targets_are_another_problem() {
    let dataset = dataset();
    let mut document = document(&dataset, Criterion::G, &TargetSpec::Ids(vec!["p1".into(), "p2".into()]));
    document.options.targets = TargetSpec::All;
    assert!(!document.agrees(checked(&document, &dataset), document.value));
}

#[test]
fn a_field_that_is_not_known_is_refused_wherever_it_stands() {
    let document = serde_json::to_value(document(&dataset(), Criterion::G, &TargetSpec::All)).unwrap();
    for place in
        ["", "/options", "/options/pool", "/options/pool/columns", "/options/pool/reading", "/support/0"]
    {
        let mut changed = document.clone();
        let object = changed.pointer_mut(place).and_then(Value::as_object_mut).expect(place);
        object.insert("target_rows".into(), json!([0, 1]));
        let refused = DesignDocument::parse(changed.to_string().as_bytes()).unwrap_err();
        let ProblemError::NotADocument { what: "design", problem } = refused else { panic!("{refused}") };
        assert!(problem.contains("target_rows"), "{place}: {problem}");
    }
}

#[test]
fn a_later_schema_is_refused_as_such_and_an_earlier_one_as_no_document() {
    let document = serde_json::to_value(document(&dataset(), Criterion::G, &TargetSpec::All)).unwrap();
    let with = |schema: Value| {
        let mut changed = document.clone();
        changed["schema"] = schema;
        DesignDocument::parse(changed.to_string().as_bytes()).unwrap_err()
    };
    assert!(matches!(with(json!(SCHEMA + 1)), ProblemError::NewerDocument { known: SCHEMA, .. }));
    assert!(matches!(with(json!(SCHEMA - 1)), ProblemError::NotADocument { .. }));
    assert!(matches!(with(Value::Null), ProblemError::NotADocument { .. }));
    assert!(matches!(DesignDocument::parse(b"not json"), Err(ProblemError::NotADocument { .. })));
}

#[test]
fn a_plan_comes_back_with_its_counts_or_its_draws() {
    let dataset = dataset();
    let design = document(&dataset, Criterion::G, &TargetSpec::All);
    let pool = dataset.build(design.gamma.get(), design.tolerance).unwrap();
    let problem = TargetSpec::All.problem(&dataset, &pool, design.criterion, design.gamma).unwrap();
    let weights = design.weights(&dataset).unwrap();
    let constraints = elfving::rounding::Constraints::default();
    let request = elfving::rounding::Request::from_weights(&problem, &weights, 12, &constraints).unwrap();
    for method in [Some(elfving::rounding::Method::Apportion), None] {
        let (plan, report) = Measurements::make(&request, method, false, 7).unwrap();
        let order = plan.order(Some(7));
        let document = PlanDocument::of(&dataset, design.clone(), &plan, &report, Some(&order), None, 7, 0.0);
        let again = PlanDocument::parse(&serde_json::to_vec(&document).unwrap()).unwrap();
        assert_eq!(again, document);
        assert_eq!(again.measurements(&dataset).unwrap(), plan);
        assert_eq!(again.slots(&plan, &dataset).unwrap(), order);

        let slots: Vec<(usize, Option<f64>)> =
            order.iter().enumerate().map(|(k, &row)| (row, (k != 3).then_some(k as f64))).collect();
        assert!(matches!(
            plan.measured(&slots, false),
            Err(ProblemError::Incomplete { missing: 1, slots: 12 })
        ));
        let (part, outcomes) = plan.measured(&slots, true).unwrap();
        assert_eq!((outcomes.len(), part.counts().iter().map(|(_, n)| n).sum::<u64>()), (11, 11));
    }
}

#[test]
fn targets_that_make_no_sense_are_refused_by_name() {
    let dataset = dataset();
    let pool = dataset.build(0.1, 1e-6).unwrap();
    let pose = |targets: TargetSpec, criterion| {
        targets.problem(&dataset, &pool, criterion, Ridge::ZERO).map(drop).unwrap_err()
    };
    let two = || TargetSpec::Ids(vec!["p1".into(), "p2".into()]);
    assert!(matches!(pose(TargetSpec::All, Criterion::C), ProblemError::NeedsOneTarget));
    assert!(matches!(pose(two(), Criterion::C), ProblemError::NeedsOneTarget));
    assert!(matches!(pose(two(), Criterion::D), ProblemError::NoTargets { .. }));
    let direction = TargetSpec::Direction(vec![1.0]);
    assert!(matches!(pose(direction.clone(), Criterion::G), ProblemError::DirectionForC { .. }));
    assert!(matches!(
        pose(direction, Criterion::C),
        ProblemError::DirectionLength { got: 1, features: 3, .. }
    ));
    let Some(ProblemError::UnknownName { nearest: Some(nearest), .. }) =
        Some(pose(TargetSpec::Ids(vec!["p11".into()]), Criterion::G))
    else {
        panic!("there is no such target")
    };
    assert_eq!(nearest, "p1");
}
