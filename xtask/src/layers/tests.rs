//! Each rule on sources that break it and on sources that keep it.

use super::*;

/// A core in which every module exists and is empty, with some files replaced.
fn core_with(changed: &[(&str, &str)]) -> BTreeMap<String, String> {
    let root: String = MODULES.iter().map(|(name, _)| format!("pub mod {name};\n")).collect();
    let mut files = BTreeMap::from([("lib.rs".to_string(), root)]);
    files.extend(MODULES.iter().map(|(name, _)| (format!("{name}/mod.rs"), String::new())));
    files.extend(changed.iter().map(|(file, text)| (file.to_string(), text.to_string())));
    files
}

fn violations(changed: &[(&str, &str)]) -> Vec<String> {
    check_core(&core_with(changed)).unwrap().iter().map(Violation::to_string).collect()
}

/// Asserts that the source, as the module `design`, breaks one rule, with a message that contains `part`.
#[track_caller]
fn design_refused(source: &str, part: &str) {
    let found = violations(&[("design/mod.rs", source)]);
    assert_eq!(found.len(), 1, "{source}: {found:?}");
    assert!(found[0].contains(part), "{source}: {found:?}");
}

#[track_caller]
fn design_accepted(source: &str) {
    assert_eq!(violations(&[("design/mod.rs", source)]), Vec::<String>::new(), "{source}");
}

const UPWARD: &str = "design may not use bandit; it may use units, named, numerics, pool";

#[test]
fn imports_from_below_pass() {
    design_accepted(
        "use crate::pool::{Pool, kernel::Rbf}; use crate::{units, numerics::Matrix}; use rayon::prelude::*;",
    );
    design_accepted("fn f() -> crate::pool::Pool { super::units::one(); crate::design::f() }");
    design_accepted("pub(crate) struct A; pub(in crate::design) struct B; pub(super) struct C;");
}

#[test]
fn an_import_from_above_is_refused_with_file_and_line() {
    let found = violations(&[("design/mod.rs", "//! Designs.\n\nuse crate::bandit::Arm;\n")]);
    assert_eq!(found, [format!("crates/elfving/src/design/mod.rs:3: {UPWARD}")]);
}

#[test]
fn every_way_to_import_from_above_is_seen() {
    for source in [
        "use crate::bandit;",
        "use crate::bandit as b;",
        "use crate::bandit::*;",
        "use crate::{pool::Pool, bandit::{self, }};",
        "use crate::{pool::Pool, bandit::arm::{Arm}};",
        "pub use crate::bandit::Arm;",
        "use super::bandit::Arm;",
        "use self::super::bandit::Arm;",
        "use elfving::bandit::Arm;",
        "fn f() { crate::bandit::pull(); }",
        "fn f(arm: &crate::bandit::Arm) {}",
        "fn f() -> Vec<super::bandit::Arm> { Vec::new() }",
        "impl crate::bandit::Pull for u8 {}",
        "fn f<T: crate::bandit::Pull>() {}",
        "fn f() { assert_eq!(1, crate::bandit::count()); }",
        "macro_rules! pull { () => { $crate::bandit::pull() }; }",
        "macro_rules! arms { () => { use crate::{pool, bandit::Arm}; }; }",
        "fn f() { crate::bandit::pull!(); }",
        "#[serde(with = \"crate::bandit::arms\")] struct S;",
        "mod solver { use super::super::bandit::Arm; }",
        "fn f() { use crate::bandit::Arm; }",
        "#[cfg(not(test))] use crate::bandit::Arm;",
        "#[cfg(any(test, feature = \"x\"))] use crate::bandit::Arm;",
    ] {
        design_refused(source, UPWARD);
    }
}

#[test]
fn super_is_resolved_from_the_file_that_says_it() {
    let parent = ("design/mod.rs", "mod solver;");
    let own_child = ("design/solver.rs", "use super::bandit::Arm;");
    assert_eq!(violations(&[parent, own_child]), Vec::<String>::new());
    let outside = ("design/solver.rs", "use super::super::bandit::Arm;");
    assert_eq!(violations(&[parent, outside]), [format!("crates/elfving/src/design/solver.rs:1: {UPWARD}")]);
}

#[test]
fn a_name_exported_again_at_the_root_does_not_hide_its_layer() {
    design_refused("use crate::Arm;", "name the module it comes from");
    design_refused("use super::*;", "name the module it comes from");
    design_refused("use crate as root;", "name the module it comes from");
}

#[test]
fn the_root_may_name_every_module() {
    let root: String =
        MODULES.iter().map(|(name, _)| format!("pub mod {name}; pub use {name}::Thing;\n")).collect();
    assert_eq!(violations(&[("lib.rs", &root)]), Vec::<String>::new());
}

#[test]
fn the_order_is_the_one_of_the_house() {
    let uses = |user: &str, used: &str| {
        let source = format!("use crate::{used}::Thing;");
        violations(&[(&format!("{user}/mod.rs"), &source)]).is_empty()
    };
    let order = ["units", "numerics", "pool", "design", "rounding", "estimate", "bandit"];
    for (low, lower) in order.iter().enumerate() {
        for higher in &order[low + 1..] {
            assert!(uses(higher, lower), "{higher} should see {lower}");
            assert!(!uses(lower, higher), "{lower} should not see {higher}");
        }
    }
    assert!(!uses("estimate", "surrogate") && !uses("surrogate", "estimate"));
    assert!(uses("bandit", "surrogate"));
}

#[test]
fn no_module_may_use_one_that_uses_it() {
    for (name, allowed) in MODULES {
        for other in allowed {
            let (_, back) = MODULES.iter().find(|(module, _)| module == other).unwrap();
            assert!(!back.contains(&name), "{name} and {other} use each other");
        }
    }
}

#[test]
fn a_module_without_a_layer_is_refused() {
    let found = violations(&[("lib.rs", "pub mod extras {}")]);
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("module extras has no layer"), "{found:?}");
}

#[test]
fn only_linalg_names_the_linear_algebra_library() {
    let message = "only numerics may name faer";
    design_refused("use faer::Mat;", message);
    design_refused("use faer;", message);
    design_refused("use ::faer::prelude::*;", message);
    design_refused("extern crate faer;", message);
    design_refused("fn f() -> faer::Mat<f64> { todo!() }", message);
    design_refused("fn f() { assert!(faer::get_global_parallelism() == x); }", message);
    design_refused("use crate::numerics::faer::Mat;", message);
    assert_eq!(violations(&[("lib.rs", "pub use faer::Mat;")]).len(), 1);
    assert_eq!(
        violations(&[("numerics/mod.rs", "use faer::Mat; fn f() { faer::f(); }")]),
        Vec::<String>::new()
    );
    design_accepted("//! Not faer::Mat.\n/// See [`faer::Mat`].\nfn f() {}");
}

#[test]
fn the_core_names_nothing_of_the_outside_world() {
    for part in ["env", "fs", "io", "net", "process", "time"] {
        let message = format!("the core may not name std::{part}");
        design_refused(&format!("use std::{part};"), &message);
        design_refused(&format!("use std::{{fmt, {part}::Thing}};"), &message);
        design_refused(&format!("fn f() {{ std::{part}::thing(); }}"), &message);
        design_refused(&format!("fn f() {{ debug_assert!(std::{part}::thing()); }}"), &message);
        let in_numerics = violations(&[("numerics/mod.rs", &format!("use core::{part}::Thing;"))]);
        assert_eq!(in_numerics.len(), 1, "{part}");
        assert_eq!(violations(&[("lib.rs", &format!("use std::{part};"))]).len(), 1, "{part}");
    }
    design_refused("use std as standard;", "the core may not import std as a whole");
    design_refused("use std::*;", "the core may not import std as a whole");
    design_accepted("use std::{fmt, collections::BTreeMap}; fn f(time: f64) -> f64 { time }");
}

#[test]
fn the_core_prints_nothing() {
    for name in ["print", "println", "eprint", "eprintln", "dbg"] {
        let message = format!("the core may not print ({name}!)");
        design_refused(&format!("fn f() {{ {name}!(\"x\"); }}"), &message);
        design_refused(&format!("fn f() {{ std::{name}!(\"x\"); }}"), &message);
        design_refused(&format!("macro_rules! say {{ () => {{ {name}!(\"x\") }}; }}"), &message);
    }
    design_accepted("fn f(print: bool) -> String { format!(\"{}\", print != false) }");
}

#[test]
fn test_code_is_free() {
    design_accepted(
        "#[cfg(test)] mod tests { use crate::bandit::Arm; use std::fs; fn f() { println!(); faer::f(); } }",
    );
    design_accepted("#[cfg(all(test, feature = \"slow\"))] mod tests { use crate::bandit::Arm; }");
    design_accepted("#[cfg(test)] use crate::bandit::Arm;");
    design_accepted("#[test] fn prints() { println!(\"x\"); }");
    design_accepted("struct S; impl S { #[cfg(test)] fn f() { println!(\"x\"); } }");
    let test_file = ("design/tests.rs", "use crate::bandit::Arm;");
    assert_eq!(violations(&[("design/mod.rs", "#[cfg(test)] mod tests;"), test_file]), Vec::<String>::new());
    assert_eq!(violations(&[("design/mod.rs", "mod tests;"), test_file]).len(), 1);
}

#[test]
fn a_source_that_cannot_be_followed_is_an_error() {
    assert!(
        check_core(&core_with(&[("design/mod.rs", "mod missing;")])).unwrap_err().contains("design::missing")
    );
    assert!(check_core(&core_with(&[("design/mod.rs", "fn (")])).unwrap_err().starts_with("design/mod.rs:1"));
    assert!(check_core(&BTreeMap::new()).is_err());
}
