//! From tables to pools: one function for every shell, read once, factorised once.

use std::sync::Arc;

use elfving::numerics::Matrix;
use elfving::pool::{KernelSpec, Lengthscale};
use elfving_problem::{Dataset, Model, Names, Note, PoolSpec, ProblemError, Source};
use elfving_table::{LogBase, OneHot, PoolOptions};
use proptest::prelude::*;

const REACTIONS: &str =
    "id,ligand,temp,note\n007,XPhos,20,a b\n008,PPh3,40,c\n009,XPhos,60,d\n010,PPh3,80,e\n";

fn source(name: &str, text: &str) -> Source {
    Source::Bytes { name: name.to_owned(), bytes: text.as_bytes().to_vec() }
}

fn spec(columns: PoolOptions, model: Model) -> PoolSpec {
    PoolSpec { columns, model, ..PoolSpec::default() }
}

fn rbf(lengthscale: Lengthscale) -> Model {
    Model::Kernel { of: KernelSpec::Rbf { lengthscale }, residual: None }
}

#[test]
fn a_kernel_is_factorised_once_per_residual() {
    let columns = PoolOptions::default().id("id").exclude("ligand").exclude("note");
    let dataset =
        Dataset::read(&source("p.csv", REACTIONS), None, spec(columns, rbf(30.0.into())), 0).unwrap();
    assert_eq!(dataset.factorisations(), 0, "reading computes nothing");
    let first = dataset.build(1e-4, 1e-3).unwrap();
    assert!(Arc::ptr_eq(&first, &dataset.build(1e-4, 1e-3).unwrap()));
    assert_eq!(dataset.factorisations(), 1);
    // A finer question needs a finer factorisation.
    dataset.build(1e-6, 1e-6).unwrap();
    assert_eq!(dataset.factorisations(), 2);
}

#[test]
fn a_length_scale_that_is_not_given_is_the_median_distance_and_is_said() {
    let columns = PoolOptions::default().id("id").exclude("ligand").exclude("note");
    let dataset =
        Dataset::read(&source("p.csv", REACTIONS), None, spec(columns, rbf(Lengthscale::Median)), 0).unwrap();
    // Distances 20, 20, 20, 40, 40, 60: their median is 30.
    assert_eq!(dataset.notes(), [Note::MedianLengthscale(30.0)]);
    assert_eq!(dataset.model().to_string(), "kernel RBF, length scale 30");
    assert_eq!(dataset.model(), &rbf(30.0.into()), "the residual is still left to the question");
    let Model::Kernel { residual: Some(residual), .. } = dataset.recorded_model(0.01, 1e-6) else {
        panic!("a recorded model has its residual");
    };
    assert_eq!(residual, 0.01 * 0.01 * 1e-6);
}

#[test]
fn categories_are_codes_and_never_decoded_from_their_columns() {
    let columns =
        PoolOptions::default().id("id").one_hot(OneHot::Columns(vec!["ligand".into()])).exclude("note");
    let targets = source("t.csv", "ligand,temp\nPPh3,50\n");
    let dataset =
        Dataset::read(&source("p.csv", REACTIONS), Some(&targets), spec(columns, Model::Linear), 0).unwrap();
    assert_eq!(dataset.about().codes.0, [[1, 0, 1, 0]], "levels in sorted order: PPh3, XPhos");
    assert_eq!(dataset.about().codes.1.as_deref(), Some(&[vec![0]][..]));
    let space = dataset.space().unwrap().unwrap();
    assert_eq!((space.points(), space.choices()), (4, 1));
    assert_eq!(dataset.choices(), &Names::numbered(1), "targets may do without ids");
}

#[test]
fn what_is_forbidden_leaves_scales_and_names_as_they_were() {
    let columns = PoolOptions::default().id("id").exclude("ligand").exclude("note").standardize(true);
    let read =
        || Dataset::read(&source("p.csv", REACTIONS), None, spec(columns.clone(), Model::Linear), 0).unwrap();
    let (all, some) = (read(), read().without(&["008".to_owned()]).unwrap());
    assert_eq!(some.names().list(), ["007", "009", "010"]);
    assert_eq!((0..3).map(|row| some.table_row(row)).collect::<Vec<_>>(), [0, 2, 3]);
    let (x, y) = (all.numbers().0, some.numbers().0);
    assert_eq!([y.row(0), y.row(1), y.row(2)], [x.row(0), x.row(2), x.row(3)]);
    assert_eq!((some.find("010").unwrap(), all.find("010").unwrap()), (2, 3));

    let Err(ProblemError::UnknownName { nearest, .. }) = read().without(&["00g".to_owned()]) else {
        panic!("there is no such candidate");
    };
    assert!(nearest.is_some());
    let everything = all.names().list();
    assert!(matches!(read().without(&everything), Err(ProblemError::NothingLeft { what: "candidate" })));
}

#[test]
fn a_table_and_its_numbers_make_the_same_pool() {
    let columns =
        PoolOptions::default().id("id").exclude("ligand").exclude("note").log_scale("temp", LogBase::Two);
    for model in [
        Model::Linear,
        Model::Polynomial { degree: 2, interactions_only: false },
        rbf(Lengthscale::Median),
        Model::Kernel {
            of: KernelSpec::Periodic { lengthscale: Lengthscale::Median, period: 3.0 },
            residual: None,
        },
    ] {
        let table = Dataset::read(&source("p.csv", REACTIONS), None, spec(columns.clone(), model.clone()), 5)
            .unwrap();
        let x = Matrix::from_fn(4, 1, |i, _| (20.0 * (i + 1) as f64).log2());
        let arrays = Dataset::from_arrays(x, None, None, None, None, model, 5).unwrap();
        let (a, b) = (table.build(0.1, 1e-3).unwrap(), arrays.build(0.1, 1e-3).unwrap());
        assert_eq!(a.features(), b.features());
        // And again in another process.
        let about = serde_json::to_string(table.about()).unwrap();
        let (x, z) = table.numbers();
        let again = Dataset::restored(serde_json::from_str(&about).unwrap(), x.clone(), z.cloned()).unwrap();
        assert_eq!(again.build(0.1, 1e-3).unwrap().features(), a.features());
        assert_eq!(again.names(), table.names());
    }
}

#[test]
fn a_kernel_matrix_needs_a_row_for_each_candidate_and_target() {
    let gram = Matrix::identity(3);
    let named = |count| Names::numbered(count);
    let dataset = Dataset::from_gram(gram.clone(), named(2), Some(named(1)), None).unwrap();
    assert_eq!(dataset.build(0.1, 1e-3).unwrap().choice_count(), 1);
    assert!(dataset.space().unwrap().is_none());
    assert!(dataset.linear().is_err());
    let refused = Dataset::from_gram(gram, named(2), None, None);
    assert!(matches!(refused, Err(ProblemError::MatrixSize { candidates: 2, targets: 0, rows: 3, .. })));
}

#[test]
fn a_kernel_and_a_polynomial_model_exclude_each_other() {
    let both =
        Model::of_options(Some(KernelSpec::Rbf { lengthscale: 1.0.into() }), None, Some(2), false, None);
    assert!(matches!(both, Err(ProblemError::TwoModels { .. })));
    assert_eq!(Model::of_options(Some(KernelSpec::Linear), None, None, false, None).unwrap(), Model::Linear);
}

proptest! {
    /// Whatever the names are, each leads back to its row, and no other name does.
    #[test]
    fn names_lead_to_their_rows(mut list in prop::collection::vec("[a-c0-9]{1,3}", 1..20)) {
        list.sort();
        list.dedup();
        let names = Names::new(Some(list.clone()), list.len(), "candidates").unwrap();
        let index = names.index();
        for (row, name) in list.iter().enumerate() {
            prop_assert_eq!(names.find(name), Some(row));
            prop_assert_eq!(index.get(name), Some(row));
        }
        prop_assert!(names.rows(&["zzz"], "candidate").is_err());
        let numbered = Names::numbered(list.len());
        prop_assert_eq!(numbered.find("0"), Some(0));
        prop_assert_eq!(numbered.find("00"), None);
        prop_assert_eq!(numbered.find(&list.len().to_string()), None);
    }
}

#[test]
fn a_smooth_class_of_a_large_pool_has_few_features_and_says_what_they_leave_out() {
    let rough = |i: usize, k: usize| {
        let bits = (8 * i + k + 1) as u64;
        let mixed = bits.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 11) as f64 * (-53.0f64).exp2()
    };
    let x = Matrix::from_fn(900, 8, rough);
    let dataset = Dataset::from_arrays(x, None, None, None, None, Model::smooth(), 0).unwrap();
    let Model::Kernel { of, residual: Some(residual) } = dataset.model().clone() else { panic!() };
    let pool = dataset.build(1e-4, 1e-3).unwrap();
    assert!(pool.dimension() <= 600 && pool.dimension() > 550, "{pool}");
    assert!(residual > 1e-6 && pool.residual() <= residual * 104.0, "{residual} {pool}");
    assert!(
        dataset.model_in_words().contains("its features leave out up to"),
        "{}",
        dataset.model_in_words()
    );
    // What is recorded makes the same features again.
    let again = Dataset::from_arrays(
        Matrix::from_fn(900, 8, rough),
        None,
        None,
        None,
        None,
        Model::Kernel { of, residual: Some(residual) },
        0,
    );
    assert_eq!(again.unwrap().build(1e-4, 1e-3).unwrap().features(), pool.features());
}
