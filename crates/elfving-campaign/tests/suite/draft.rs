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

#[test]
fn a_certified_campaign_without_a_model_takes_a_smooth_class_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let one = draft(Mode::Certified, Model::Unstated);
    let Model::Kernel { of, residual: Some(_) } = &one.recipe().model else {
        panic!("{:?}", one.recipe().model)
    };
    assert!(of.smooth_parts().is_some(), "{of}");
    let mut spec = spec(&one, Mode::Certified);
    spec.recipe.columns.features = Some(vec!["temp".to_owned()]);
    let mut campaign = one.create(folder.path().join("s.elfving"), spec, None, At(0)).unwrap();
    // Five equal steps of [0, 1]: the root mean square distance is 0.5, so half of it is a quarter of the range of 80.
    let model =
        "smooth with an intercept: Matern 5/2 kernel times 4 plus the constant 100, length scale temp 20";
    let status = campaign.status().unwrap();
    assert_eq!(status.model, model);
    assert!(status.statement.contains(&format!("- the model: {model}")), "{:#?}", status.statement);
    let calibrated = draft(Mode::Calibrated, Model::Unstated);
    assert_eq!(calibrated.recipe().model, Model::Linear, "the fitted model is another one");
    assert_eq!(draft(Mode::Certified, Model::Linear).recipe().model, Model::Linear, "what is stated stays");
}

#[test]
fn where_every_candidate_has_a_mean_of_its_own_linear_stays() {
    let columns = PoolOptions::default().id("id").categorical("arm").exclude("note");
    let arms = |pool: &str| {
        let spec = PoolSpec { columns: columns.clone(), ..PoolSpec::default() };
        let pool = Attachment::new("pool.csv", pool);
        Draft::read(pool, None, spec, "visits", Mode::Certified, None, 0).unwrap().recipe().model.clone()
    };
    assert_eq!(arms("id,arm,note\na,A,\nb,B,\nc,C,\n"), Model::Linear);
    // Two of one arm are one candidate to the model; a number beside it makes six of three.
    assert_eq!(arms("id,arm,note\na,A,\nb,B,\nc,B,\n"), Model::Linear);
    assert!(arms("id,arm,x,note\na,A,1,\nb,B,1,\nc,A,2,\nd,B,2,\ne,A,4,\n").is_kernel());
}

#[test]
fn an_earlier_campaign_bets_and_the_new_file_stands_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mean = |temp: f64| 0.5 + 0.4 * (temp / 30.0).sin();
    let one = draft(Mode::Certified, Model::Unstated);
    assert!(
        draft(Mode::Certified, Model::Unstated)
            .prior(&{
                let spec = spec(&one, Mode::Certified);
                one.create(folder.path().join("empty.elfving"), spec, None, At(0)).unwrap()
            })
            .unwrap_err()
            .to_string()
            .contains("no results to predict from")
    );
    let temps = [("a", 20.0), ("b", 40.0), ("c", 60.0), ("d", 80.0), ("e", 100.0)];
    let table = temps.map(|(id, temp)| format!("{id},{}\n", mean(temp))).concat();
    let old = draft(Mode::Calibrated, Model::Unstated);
    let old_spec = spec(&old, Mode::Calibrated);
    let measured = ResultsFile::from_bytes(
        "done.csv",
        format!("id,yield\n{table}{table}").as_bytes(),
        &old_spec.results,
    );
    let earlier =
        old.create(folder.path().join("old.elfving"), old_spec, Some(&measured.unwrap()), At(0)).unwrap();
    let path = folder.path().join("new.elfving");
    let mut new = draft(Mode::Certified, Model::Unstated);
    new.prior(&earlier).unwrap();
    let spec = spec(&new, Mode::Certified).forbid(vec!["c".to_owned()]);
    let mut campaign = new.create(&path, spec, None, At(0)).unwrap();
    let belief = &campaign.spec().priors[0];
    assert_eq!((belief.name(), belief.means().len()), ("the earlier campaign screen", 4));
    for ((id, temp), believed) in [temps[0], temps[1], temps[3], temps[4]].iter().zip(belief.means()) {
        assert!((mean(*temp) - believed).abs() < 0.1, "{id}: {believed} for {}", mean(*temp));
    }
    // The old file is not needed any more.
    std::fs::remove_file(folder.path().join("old.elfving")).unwrap();
    for round in 0..4 {
        let rows = campaign.ask(None, At(1)).unwrap().rows;
        let told: Vec<(String, elfving::bandit::Outcome)> = rows
            .iter()
            .map(|row| {
                let temp = temps.iter().find(|(id, _)| *id == row.id).unwrap().1;
                (row.slot.clone(), (mean(temp) + 0.05 * f64::from(round % 2 * 2 - 1)).into())
            })
            .collect();
        let told: Vec<(&str, elfving::bandit::Outcome)> =
            told.iter().map(|(slot, outcome)| (slot.as_str(), outcome.clone())).collect();
        campaign.tell_outcomes(&told, &elfving_campaign::TellOptions::default(), At(2)).unwrap();
    }
    let status = campaign.status().unwrap();
    let bet = status.bets.iter().find(|bet| bet.believed).unwrap();
    assert!(bet.nats > 1.0, "{bet:?}");
    assert!(
        status.statement.iter().any(|line| line.contains("The earlier campaign screen helps")),
        "{status:?}"
    );
    drop(campaign);
    assert_eq!(Campaign::open(&path).unwrap().status().unwrap(), status, "it replays");
}

#[test]
fn a_prediction_that_nobody_would_use_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let old = draft(Mode::Calibrated, Model::Unstated);
    let old_spec = spec(&old, Mode::Calibrated);
    let measured =
        ResultsFile::from_bytes("done.csv", b"id,yield\na,1\nc,2\nd,3\n", &old_spec.results).unwrap();
    let earlier = old.create(folder.path().join("old.elfving"), old_spec, Some(&measured), At(0)).unwrap();
    let mut new = draft(Mode::Calibrated, Model::Unstated);
    new.prior(&earlier).unwrap();
    let spec = spec(&new, Mode::Calibrated);
    let refused = new.create(folder.path().join("new.elfving"), spec, None, At(0)).unwrap_err().to_string();
    assert!(refused.contains("calibrated does not use an earlier campaign's predictions"), "{refused}");
}

#[test]
fn a_range_stands_in_for_sigma_clips_intervals_and_refuses_what_lies_outside() {
    let folder = tempfile::tempdir().unwrap();
    for aim in [Aim::Maximise, Aim::Minimise] {
        let one = draft(Mode::Certified, Model::Unstated);
        let assumed = AssumptionSpec {
            range: Some((0.0, 100.0)),
            tails: Tails::SubGaussian,
            norm: Some(300.0),
            ..AssumptionSpec::default()
        };
        let spec =
            Spec { aim, ..spec(&one, Mode::Certified).assumed(assumed).goal(Goal::Best { epsilon: 5.0 }) };
        let name = format!("{aim:?}.elfving");
        let mut campaign = one.create(folder.path().join(name), spec, None, At(0)).unwrap();
        let rows = campaign.ask(None, At(1)).unwrap().rows;
        let tell = |campaign: &mut Campaign, slot: &str, y: f64| {
            campaign.tell_outcomes(&[(slot, y.into())], &elfving_campaign::TellOptions::default(), At(2))
        };
        let refused = tell(&mut campaign, &rows[0].slot, 104.0).unwrap_err().to_string();
        assert!(refused.contains("104 is outside the range 0 to 100"), "{refused}");
        for row in &rows {
            tell(&mut campaign, &row.slot, 60.0).unwrap();
        }
        let status = campaign.status().unwrap();
        assert!(status.statement.contains(&"- every outcome lies between 0 and 100".to_owned()));
        assert!(
            status.statement.iter().any(|line| line.contains("sigma at most 50")),
            "{:?}",
            status.statement
        );
        let spans: Vec<_> = status.survivors.iter().filter_map(|survivor| survivor.interval).collect();
        assert!(spans.iter().all(|span| 0.0 <= span.lower && span.upper <= 100.0), "{spans:?}");
        assert!(
            status.epsilon.unwrap() <= 100.0,
            "a noise of 50 proves nothing better yet: {:?}",
            status.epsilon
        );
    }
}
