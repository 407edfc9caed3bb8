//! What every rounding must do, run against all of them; a new one is added to [`Method`].

use crate::support;

use elfving::design::{
    Control, Criterion, Design, DesignError, ElfvingSet, InteriorPoint, Problem, Solver, recheck,
};
use elfving::numerics::Matrix;
use elfving::pool::{ChoiceId, PointId, Pool, Subset, Targets};
use elfving::rounding::{
    Allocation, Constraints, Exchange, Method, Request, Rounded, Rounding, RoundingError, RoundingPath,
};
use elfving::units::{Ridge, Tolerance};

fn id(i: usize) -> PointId {
    PointId::new(i)
}

fn design(problem: &Problem) -> Design {
    // One direction without a ridge has a singular optimum: that is Elfving's case.
    let singular = problem.criterion() == Criterion::C && problem.gamma().get() == 0.0;
    let solver: &dyn Solver = if singular { &ElfvingSet } else { &InteriorPoint::default() };
    solver.solve(problem, &mut Control::new(Tolerance::new(1e-7).unwrap())).unwrap()
}

/// All criteria on the small pool, with and without ridge.
fn problems(pool: &Pool) -> Vec<Problem<'_>> {
    let mut problems = Vec::new();
    for gamma in [0.0, 0.05] {
        let gamma = Ridge::new(gamma).unwrap();
        for criterion in Criterion::ALL {
            let targets = match criterion {
                Criterion::C => Targets::Points(Subset::Of(vec![ChoiceId::new(7)])),
                _ => Targets::Points(Subset::All),
            };
            problems.push(Problem::new(pool, criterion, targets, gamma).unwrap());
        }
    }
    problems
}

fn constraint_sets() -> Vec<Constraints> {
    let none = Constraints::default();
    vec![
        none.clone(),
        none.clone().each_at_most(1),
        none.clone().each_at_most(2).at_most(id(3), 0).at_most(id(5), 4).at_least(id(0), 2),
        none.clone().at_least(id(59), 3).at_least(id(1), 1),
        none.clone().already_done(id(2), 5).already_done(id(40), 3).already_done(id(2), 1),
        none.each_at_most(1).already_done(id(8), 20).at_least(id(9), 1),
    ]
}

fn bounds(constraints: &Constraints, i: usize) -> (u64, u64) {
    let of =
        |list: &[(PointId, u64)]| list.iter().find(|(point, _)| *point == id(i)).map(|&(_, count)| count);
    let minimum = of(&constraints.minimum).unwrap_or(0);
    let maximum = of(&constraints.maximum).or(constraints.maximum_each).unwrap_or(u64::MAX);
    (minimum, maximum)
}

fn assert_conforms(request: &Request, constraints: &Constraints, rounding: &dyn Rounding, rounded: &Rounded) {
    let Rounded { allocation, report } = rounded;
    let name = rounding.name();
    let points = request.problem().pool().len();
    let support = request.weights().len() as u64;
    if name == "ceiling" {
        assert!((request.budget()..=request.budget() + support).contains(&allocation.total()), "{report}");
    } else {
        assert_eq!(allocation.total(), request.budget(), "{name}");
    }
    for i in 0..points {
        let (minimum, maximum) = bounds(constraints, i);
        let count = allocation.count(id(i));
        assert!((minimum..=maximum).contains(&count), "{name}: point {i} has {count}");
    }
    assert!(allocation.counts().windows(2).all(|pair| pair[0].0 < pair[1].0), "pool order");
    assert!(allocation.counts().iter().all(|&(_, count)| count > 0));
    assert_eq!(report.method, name);
    assert_eq!((report.total, report.budget), (allocation.total(), request.budget()));
    assert_eq!(report.candidates, allocation.counts().len());
    assert_eq!(report.done, constraints.done.iter().map(|&(_, count)| count).sum::<u64>());

    assert_value_is_that_of_the_independent_check(request, constraints, rounded);
    if constraints.done.is_empty() {
        // The continuous design is optimal, and counts are a design.
        assert!(report.ratio.is_none_or(|ratio| ratio > 1.0 - 1e-6), "{report}");
        if let (Some(ratio), true) = (report.ratio, report.smallest_eigenvalue > 1e-9) {
            assert!(ratio <= (1.0 + 1e-6) / report.smallest_eigenvalue, "{report}");
        }
    }
    if let Some(promised) = report.guaranteed_eigenvalue {
        assert!(report.smallest_eigenvalue >= promised - 1e-9, "{report}");
    }
}

/// The certificate's arithmetic on the counts as weights.
fn assert_value_is_that_of_the_independent_check(
    request: &Request,
    constraints: &Constraints,
    Rounded { allocation, report }: &Rounded,
) {
    let problem = request.problem();
    let mut weights = vec![0.0; problem.pool().len()];
    for &(point, count) in allocation.counts().iter().chain(&constraints.done) {
        weights[point.index()] += count as f64;
    }
    let weights: Vec<(PointId, f64)> = weights.into_iter().enumerate().map(|(i, w)| (id(i), w)).collect();
    let target = match problem.criterion() {
        Criterion::Xy => elfving::design::TargetRef::Pair(0, 1),
        _ => elfving::design::TargetRef::Row(0),
    };
    match (recheck(problem, &weights, &[(target, 1.0)]), report.value) {
        (Ok(certificate), Some(value)) => {
            assert!(
                (certificate.value() - value).abs() < 1e-7 * value.abs(),
                "{report} {} {weights:?}",
                certificate.value()
            );
        }
        (Err(DesignError::NotIdentifiable { .. }), None) => {}
        (checked, value) => panic!("{report}: {value:?} against {checked:?}"),
    }
}

#[test]
fn every_method_meets_budget_and_bounds_and_reports_the_truth() {
    let pool = Pool::from_features(support::small()).unwrap();
    for problem in problems(&pool) {
        let design = design(&problem);
        for constraints in constraint_sets() {
            for budget in [9, 30] {
                let request = Request::new(&problem, &design, budget, &constraints).unwrap();
                for method in Method::ALL {
                    let rounding = method.rounding();
                    let rounded = rounding.round(&request).unwrap();
                    assert_conforms(&request, &constraints, &*rounding, &rounded);
                }
            }
        }
    }
}

#[test]
fn exchange_improves_every_method_for_every_criterion() {
    let pool = Pool::from_features(support::small()).unwrap();
    for problem in problems(&pool) {
        let design = design(&problem);
        for constraints in constraint_sets() {
            let request = Request::new(&problem, &design, 20, &constraints).unwrap();
            for method in [Method::Apportion, Method::Regret, Method::Greedy] {
                let before = method.rounding().round(&request).unwrap();
                let after = Exchange::default().after(&request, &before).unwrap();
                assert_conforms(&request, &constraints, &*method.rounding(), &after);
                assert!(matches!(after.report.path, RoundingPath::Exchanged { settled: true, .. }));
                let worth = |rounded: &Rounded| rounded.report.ratio.unwrap_or(f64::INFINITY);
                assert!(
                    worth(&after) <= worth(&before) * (1.0 + 1e-9),
                    "{} then {}",
                    before.report,
                    after.report
                );
            }
        }
    }
}

#[test]
fn exchange_finds_a_better_place_when_there_is_one() {
    let pool = Pool::from_features(support::small()).unwrap();
    for problem in problems(&pool) {
        let design = design(&problem);
        let request = Request::new(&problem, &design, 24, &Constraints::default()).unwrap();
        // The first 24 points, whatever they are.
        let start = Allocation::new((0..24).map(|i| (id(i), 1)).collect()).unwrap();
        let before = request.evaluate(&start).unwrap();
        let after = Exchange::default().polish(&request, &start).unwrap();
        assert_eq!(after.allocation.total(), 24);
        let (before, after) = (before.ratio.unwrap_or(f64::INFINITY), after.report.ratio.unwrap());
        assert!(after < 0.95 * before, "{}: {before} to {after}", problem.criterion());
    }
}

#[test]
fn exchange_refuses_a_start_outside_the_bounds() {
    let pool = Pool::from_features(support::small()).unwrap();
    let problem = Problem::over_choices(&pool, Criterion::G, Ridge::new(0.05).unwrap()).unwrap();
    let design = design(&problem);
    let request = Request::new(&problem, &design, 4, &Constraints::default().each_at_most(1)).unwrap();
    let twice = Allocation::new(vec![(id(3), 2), (id(4), 2)]).unwrap();
    let error = Exchange::default().polish(&request, &twice).unwrap_err();
    assert_eq!(error, RoundingError::OutsideBounds { id: id(3), count: 2, minimum: 0, maximum: 1 });
    let elsewhere = Allocation::new(vec![(id(60), 4)]).unwrap();
    assert!(matches!(
        Exchange::default().polish(&request, &elsewhere).unwrap_err(),
        RoundingError::UnknownPoint { points: 60, .. }
    ));
}

#[test]
fn the_answer_is_the_same_for_any_number_of_threads() {
    let pool = Pool::from_features(support::small()).unwrap();
    for (criterion, gamma) in [(Criterion::G, 0.05), (Criterion::Xy, 0.0)] {
        let problem = Problem::over_choices(&pool, criterion, Ridge::new(gamma).unwrap()).unwrap();
        let design = design(&problem);
        let constraints = Constraints::default().each_at_most(2).already_done(id(4), 2);
        let all = |threads: usize| -> Vec<Rounded> {
            let threads = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            threads.install(|| {
                let request = Request::new(&problem, &design, 25, &constraints).unwrap();
                Method::ALL.iter().map(|method| method.rounding().round(&request).unwrap()).collect()
            })
        };
        let one = all(1);
        for threads in [2, 8] {
            let several = all(threads);
            assert_eq!(one, several);
            let bits = |rounded: &[Rounded]| -> Vec<Option<u64>> {
                rounded.iter().map(|rounded| rounded.report.value.map(f64::to_bits)).collect()
            };
            assert_eq!(bits(&one), bits(&several));
        }
    }
}

#[test]
fn measurements_already_done_make_the_experiment_better() {
    let pool = Pool::from_features(support::small()).unwrap();
    let problem = Problem::over_choices(&pool, Criterion::G, Ridge::ZERO).unwrap();
    let design = design(&problem);
    let nothing = Request::new(&problem, &design, 30, &Constraints::default()).unwrap();
    // Thirty earlier measurements of the first ten candidates.
    let done = (0..10).fold(Constraints::default(), |done, i| done.already_done(id(i), 3));
    let augmented = Request::new(&problem, &design, 30, &done).unwrap();
    for method in Method::ALL {
        let variance = |request: &Request| {
            let report = method.rounding().round(request).unwrap().report;
            report.value.unwrap() / (report.total + report.done) as f64
        };
        // Ceiling spends more where nothing was done.
        if method != Method::Ceiling {
            let (before, after) = (variance(&nothing), variance(&augmented));
            assert!(after < 0.95 * before, "{method}: {before} to {after}");
        }
    }
}

#[test]
fn what_was_done_where_the_design_wants_it_is_not_done_again() {
    let pool = Pool::from_features(Matrix::identity(2)).unwrap();
    let problem = Problem::over_choices(&pool, Criterion::G, Ridge::ZERO).unwrap();
    let half = [(id(0), 0.5), (id(1), 0.5)];
    let done = Constraints::default().already_done(id(0), 6);
    let request = Request::from_weights(&problem, &half, 6, &done).unwrap();
    for method in Method::ALL {
        let rounded = method.rounding().round(&request).unwrap();
        assert_eq!(rounded.allocation.counts(), &[(id(1), 6)], "{method}");
        assert!((rounded.report.ratio.unwrap() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn reports_survive_json() {
    let pool = Pool::from_features(support::small()).unwrap();
    let problem = Problem::over_choices(&pool, Criterion::G, Ridge::ZERO).unwrap();
    let design = design(&problem);
    for budget in [5, 20] {
        let request = Request::new(&problem, &design, budget, &Constraints::default()).unwrap();
        for method in Method::ALL {
            let rounded = method.rounding().round(&request).unwrap();
            let json = serde_json::to_string(&rounded).unwrap();
            assert_eq!(serde_json::from_str::<Rounded>(&json).unwrap(), rounded);
            assert_eq!(rounded.report.value.is_none(), json.contains("\"value\":null"));
        }
    }
}

#[test]
fn infeasible_requests_name_their_numbers() {
    let pool = Pool::from_features(support::small()).unwrap();
    let problem = Problem::over_choices(&pool, Criterion::G, Ridge::ZERO).unwrap();
    let design = design(&problem);
    let ask = |budget, constraints: &Constraints| Request::new(&problem, &design, budget, constraints).err();
    let none = Constraints::default;
    let list = "minima";
    assert_eq!(ask(0, &none()), Some(RoundingError::Budget { got: 0 }));
    assert_eq!(ask(u64::MAX, &none()), Some(RoundingError::Budget { got: u64::MAX }));
    assert_eq!(
        ask(5, &none().at_least(id(0), 4).at_least(id(1), 2)),
        Some(RoundingError::MinimaAboveBudget { minima: 6, budget: 5 })
    );
    assert_eq!(
        ask(61, &none().each_at_most(1)),
        Some(RoundingError::MaximaBelowBudget { maxima: 60, budget: 61 })
    );
    assert_eq!(
        ask(9, &none().at_least(id(2), 3).at_most(id(2), 1)),
        Some(RoundingError::MinimumAboveMaximum { id: id(2), minimum: 3, maximum: 1 })
    );
    assert_eq!(
        ask(9, &none().at_least(id(60), 1)),
        Some(RoundingError::UnknownPoint { list, id: id(60), points: 60 })
    );
    assert_eq!(
        ask(9, &none().at_least(id(6), 1).at_least(id(6), 2)),
        Some(RoundingError::NamedTwice { list, id: id(6) })
    );
    let other = Problem::over_choices(&pool, Criterion::D, Ridge::ZERO).unwrap();
    let error = Request::new(&other, &design, 9, &none()).err().unwrap();
    assert!(matches!(error, RoundingError::OtherProblem { design: Criterion::G, problem: Criterion::D, .. }));
    let negative = [(id(0), -0.5), (id(1), 1.5)];
    assert!(matches!(
        Request::from_weights(&problem, &negative, 9, &none()).err(),
        Some(RoundingError::Invalid(_))
    ));
    // One point cannot determine twelve dimensions without a ridge.
    assert!(matches!(
        Request::from_weights(&problem, &[(id(0), 1.0)], 9, &none()).err(),
        Some(RoundingError::Design(DesignError::NotIdentifiable { .. }))
    ));
}
