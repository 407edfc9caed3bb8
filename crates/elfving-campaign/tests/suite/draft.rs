//! How every shell starts a campaign: files parsed once, a kernel factorised once, and the same campaign as from its recipe.

use elfving::bandit::Goal;
use elfving::estimate::Tails;
use elfving::pool::{KernelSpec, Lengthscale};
use elfving_campaign::{Aim, AssumptionSpec, At, Attachment, Campaign, Draft, Mode, ResultsFile, Spec};
use elfving_problem::{Model, PoolSpec};
use elfving_table::{Condition, OneHot, PoolOptions};

const POOL: &str = "id,base,temp,yield\na,KOAc,20,\nb,CsOAc,40,\nc,KOAc,60,\nd,CsOAc,80,\ne,KOAc,100,\n";

fn draft(mode: Mode, model: Model) -> Draft {
    let spec = PoolSpec { columns: PoolOptions::default().id("id"), model, ..PoolSpec::default() };
    Draft::read(Attachment::new("pool.csv", POOL), None, spec, "yield", mode, None, 3).unwrap()
}

fn kernel() -> Model {
    Model::Kernel { of: KernelSpec::Matern52 { lengthscale: Lengthscale::Median }, residual: None }
}

fn spec(draft: &Draft, mode: Mode) -> Spec {
    let assumed = AssumptionSpec {
        sigma: Some(0.1),
        tails: Tails::SubGaussian,
        norm: Some(2.0),
        ..AssumptionSpec::default()
    };
    Spec::new("screen", "yield", Aim::Maximise, draft.recipe().clone())
        .goal(Goal::Best { epsilon: 0.1 })
        .mode(mode)
        .assumed(assumed)
        .batch(3)
}

#[test]
fn a_kernel_is_factorised_once_from_the_table_to_the_first_batch() {
    let folder = tempfile::tempdir().unwrap();
    let draft = draft(Mode::Certified, kernel());
    assert_eq!(draft.dataset().factorisations(), 0, "reading factorises nothing");
    let spec = spec(&draft, Mode::Certified);
    let mut campaign = draft.create(folder.path().join("screen.elfving"), spec, None, At(0)).unwrap();
    campaign.status().unwrap();
    assert_eq!(campaign.candidates().unwrap().factorisations(), 1);
    campaign.ask(None, At(1)).unwrap();
    assert_eq!(campaign.candidates().unwrap().factorisations(), 1);
}

#[test]
fn a_draft_and_its_recipe_make_the_same_campaign() {
    let folder = tempfile::tempdir().unwrap();
    for (name, mode, model) in
        [("certified", Mode::Certified, kernel()), ("calibrated", Mode::Calibrated, Model::Linear)]
    {
        let one = draft(mode, model);
        let spec = spec(&one, mode).forbid(vec!["c".to_owned()]);
        let paths =
            [format!("{name}-1.elfving"), format!("{name}-2.elfving")].map(|file| folder.path().join(file));
        let mut first = one.create(&paths[0], spec.clone(), None, At(0)).unwrap();
        let mut second =
            Campaign::create(&paths[1], spec, &[Attachment::new("pool.csv", POOL)], At(0)).unwrap();
        assert_eq!(first.spec(), second.spec());
        assert_eq!(first.head(), second.head(), "the same events, hash for hash");
        assert_eq!(first.ask(None, At(1)).unwrap(), second.ask(None, At(1)).unwrap());
        assert_eq!(first.candidates().unwrap().names().list(), ["a", "b", "d", "e"]);
    }
}

#[test]
fn the_calibrated_mode_takes_categories_and_never_the_outcome() {
    let calibrated = draft(Mode::Calibrated, Model::Linear);
    assert_eq!(calibrated.dataset().feature_columns(), ["base", "temp"]);
    assert_eq!(calibrated.recipe().columns.one_hot, OneHot::Columns(vec!["base".to_owned()]));
    let certified = draft(Mode::Certified, Model::Linear);
    assert_eq!(certified.dataset().feature_columns(), ["temp"], "nothing is encoded without being asked");
}

#[test]
fn earlier_measurements_of_forbidden_candidates_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let draft = draft(Mode::Calibrated, Model::Linear);
    let spec = spec(&draft, Mode::Calibrated).forbid(vec!["c".to_owned()]);
    let measured = ResultsFile::from_bytes("done.csv", b"id,yield\na,1\nc,2\nd,3\n", &spec.results).unwrap();
    let mut campaign = draft.create(folder.path().join("s.elfving"), spec, Some(&measured), At(0)).unwrap();
    assert_eq!(campaign.status().unwrap().earlier, 2);
}

#[test]
fn outcomes_in_the_pool_are_pointed_at_and_its_own_file_brings_them_in() {
    const HALF: &str = "id,temp,yield\na,20,7\nb,40,\nc,60,n.d.\nd,80,9\n";
    let folder = tempfile::tempdir().unwrap();
    let draft = |columns: PoolOptions| {
        let spec = PoolSpec { columns, ..PoolSpec::default() };
        Draft::read(Attachment::new("pool.csv", HALF), None, spec, "yield", Mode::Calibrated, None, 3)
            .unwrap()
    };
    let warning = draft(PoolOptions::default().id("id")).unused_outcomes().unwrap();
    assert_eq!(
        warning.to_string(),
        "warning[W307]: pool.csv: the column \"yield\" has 2 numbers, which are not used\n  \
         help: give pool.csv as earlier measurements, too, if they are some"
    );
    assert_eq!(self::draft(Mode::Calibrated, Model::Linear).unused_outcomes(), None, "an empty column");
    // With ids, without them, and where a condition leaves candidates out.
    let some = PoolOptions::default().id("id").only(Condition::parse("temp < 70").unwrap());
    let cases = [(PoolOptions::default().id("id"), 2), (PoolOptions::default().exclude("id"), 2), (some, 1)];
    for (k, (columns, count)) in cases.into_iter().enumerate() {
        let draft = draft(columns);
        let mut spec = spec(&draft, Mode::Calibrated);
        spec.results.markers.push("n.d.=failed".parse().unwrap());
        let measured = ResultsFile::from_bytes("pool.csv", HALF.as_bytes(), &spec.results).unwrap();
        let path = folder.path().join(format!("{k}.elfving"));
        let mut campaign = draft.create(path, spec, Some(&measured), At(0)).unwrap();
        assert_eq!(campaign.status().unwrap().earlier, count, "case {k}");
    }
}
