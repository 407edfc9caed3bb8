//! Rule 4: crates depend in one direction, and only the core on the linear-algebra library.

use serde_json::Value;

use super::{CRATES, LINEAR_ALGEBRA, Violation};

/// Checks the answer of `cargo metadata --no-deps`; test and build dependencies count as well.
pub(super) fn check(metadata: &Value) -> Vec<Violation> {
    let mut violations = Vec::new();
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    if packages.is_empty() {
        violations.push(violation("cargo metadata", "it lists no package, so nothing was checked".into()));
    }
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        let Some(&(_, allowed)) = CRATES.iter().find(|(known, _)| *known == name) else {
            let problem = "this crate has no place; give it a row in CRATES of xtask/src/layers/mod.rs";
            violations.push(violation(name, problem.into()));
            continue;
        };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let used = dependency["name"].as_str().unwrap_or_default();
            if CRATES.iter().any(|(known, _)| *known == used) && !allowed.contains(&used) {
                violations.push(violation(name, format!("{name} may not depend on {used}")));
            }
            if used == LINEAR_ALGEBRA.0 && name != CRATES[0].0 {
                violations.push(violation(name, format!("only {} may depend on {used}", CRATES[0].0)));
            }
        }
    }
    violations
}

fn violation(crate_name: &str, problem: String) -> Violation {
    Violation { place: format!("Cargo.toml of {crate_name}"), problem }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn package(name: &str, dependencies: &[&str]) -> Value {
        let dependencies: Vec<Value> = dependencies.iter().map(|name| json!({ "name": name })).collect();
        json!({ "name": name, "dependencies": dependencies })
    }

    fn problems(packages: &[Value]) -> Vec<String> {
        check(&json!({ "packages": packages })).into_iter().map(|violation| violation.problem).collect()
    }

    #[test]
    fn crates_that_depend_downwards_pass() {
        let packages = [
            package("elfving", &["faer", "rayon"]),
            package("elfving-table", &["elfving", "csv"]),
            package("elfving-cli", &["elfving", "elfving-table", "elfving-campaign", "elfving-lab"]),
        ];
        assert_eq!(problems(&packages), Vec::<String>::new());
    }

    #[test]
    fn the_core_may_not_depend_on_a_shell() {
        assert_eq!(
            problems(&[package("elfving", &["elfving-table"])]),
            ["elfving may not depend on elfving-table"]
        );
    }

    #[test]
    fn shells_beside_each_other_stay_apart() {
        let packages =
            [package("elfving-table", &["elfving-plot"]), package("elfving-lab", &["elfving-problem"])];
        let expected =
            ["elfving-table may not depend on elfving-plot", "elfving-lab may not depend on elfving-problem"];
        assert_eq!(problems(&packages), expected);
    }

    #[test]
    fn a_shell_may_not_depend_on_the_linear_algebra_library() {
        assert_eq!(problems(&[package("elfving-cli", &["faer"])]), ["only elfving may depend on faer"]);
    }

    #[test]
    fn a_crate_without_a_place_is_refused() {
        assert!(problems(&[package("elfving-somewhere", &[])])[0].contains("has no place"));
    }

    #[test]
    fn metadata_without_packages_is_refused() {
        assert_eq!(problems(&[]).len(), 1);
    }
}
