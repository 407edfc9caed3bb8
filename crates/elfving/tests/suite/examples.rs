//! The examples run, and what they assert holds.
#[path = "../../examples/ask_and_tell.rs"]
mod ask_and_tell;
#[path = "../../examples/design.rs"]
mod design;
#[path = "../../examples/plan_and_estimate.rs"]
mod plan_and_estimate;
#[path = "../../examples/rips.rs"]
mod rips;

#[test]
fn a_design_in_a_few_lines() {
    design::main().unwrap();
}

#[test]
fn planned_measurements_and_their_intervals() {
    plan_and_estimate::main().unwrap();
}

#[test]
fn ask_and_tell_until_the_best_is_found() {
    ask_and_tell::main().unwrap();
}

#[test]
fn box_one_of_the_paper() {
    rips::main().unwrap();
}
