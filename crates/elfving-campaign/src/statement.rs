//! The statement of a campaign in words: what is guaranteed, under which assumptions, and how wrong these may be.

use elfving::bandit::{ConditionalStatement, Goal, Guarantee, Margins, Report, Standing};

use crate::spec::Aim;
use crate::words::counted;

/// The statement, line by line.
pub(crate) fn statement(
    report: &Report,
    aim: Aim,
    waived: Option<&str>,
    conditional: Option<&ConditionalStatement>,
) -> Vec<String> {
    let mut lines = match (report.guarantee, waived) {
        (Guarantee::None, Some(why)) => return vec![format!("No guarantee: {why}.")],
        (Guarantee::None, None) => {
            return vec![format!("No guarantee: {} has no stopping rule with a proof.", report.policy)];
        }
        (Guarantee::Calibrated, _) => return calibrated(report, aim, conditional),
        (Guarantee::AsPrinted, _) => {
            vec![format!("With the constants printed in the paper, not certified, {}:", promise(report, aim))]
        }
        (Guarantee::Certified, _) => {
            let percent = 100.0 * (1.0 - report.delta);
            vec![format!("With probability {percent} %, under these assumptions, {}:", promise(report, aim))]
        }
    };
    lines.extend(report.premises.iter().map(|premise| format!("- {premise}")));
    // A floor far below what was asked for is nobody's limit.
    let limits = |&floor: &f64| floor > 1e-3 * report.epsilon.unwrap_or(0.0) && floor > 0.0;
    if let Some(floor) = report.floor.filter(limits) {
        lines.push(format!("The floor is {}: closer than that no amount of data separates.", up(floor)));
    }
    lines.extend(margins(&report.margins));
    lines
}

/// What is promised of the picks.
fn promise(report: &Report, aim: Aim) -> String {
    let worse = aim.worse();
    match (report.goal, report.epsilon) {
        (_, None) => "the best is still in".to_owned(),
        (Goal::Map { .. }, Some(epsilon)) => format!("every mean is within {} of its estimate", up(epsilon)),
        (Goal::Top { count, .. }, Some(epsilon)) => {
            format!("each pick is at most {} {worse} the best choice number {count}", up(epsilon))
        }
        (Goal::AllGood { epsilon: good }, Some(epsilon)) => format!(
            "every choice within {good} of the best is still in, and no pick is more than {} {worse} the best",
            up(epsilon)
        ),
        (_, Some(0.0)) => "the pick is the best".to_owned(),
        (_, Some(epsilon)) => format!("the pick is at most {} {worse} the best", up(epsilon)),
    }
}

/// What is measured about the pick, and what would be certified if the truth were simple enough.
fn calibrated(report: &Report, aim: Aim, conditional: Option<&ConditionalStatement>) -> Vec<String> {
    let mut lines = vec!["Calibrated, no proof.".to_owned()];
    if let Some(Standing { measurements, rivals, rounds }) = report.standing {
        let (times, stood) = (counted(measurements as usize, "time"), counted(rounds as usize, "round"));
        let others = match rivals {
            0 => "no other interval reaches".to_owned(),
            1 => "the interval of one other reaches".to_owned(),
            more => format!("the intervals of {more} others reach"),
        };
        lines
            .push(format!("The pick was measured {times} and has stood for {stood}; {others} into its own."));
    }
    if let Some(conditional) = conditional {
        let ConditionalStatement { sigma, suggested_norm, .. } = *conditional;
        let (norm, percent) = (2.0 * suggested_norm, 100.0 * (1.0 - conditional.delta));
        lines.push(format!(
            "If the truth has a norm of at most {} under the fitted kernel (the fit suggests {}) and the noise is sub-Gaussian \
             with sigma {}, then with probability {percent} % the pick is at most {} {} the best. Nobody has proved that it \
             has: the kernel was fitted to the same data.",
            up(norm),
            up(suggested_norm),
            up(sigma),
            up(conditional.epsilon(norm)),
            aim.worse(),
        ));
    }
    lines
}

fn margins(margins: &Margins) -> Option<String> {
    let Margins { norm, sigma, bound, misspecification } = *margins;
    let each = [("S", norm), ("sigma", sigma), ("B", bound), ("h", misspecification)];
    let known: Vec<String> = each
        .iter()
        .filter_map(|(name, most)| most.map(|most| format!("{name} up to {}", down(most))))
        .collect();
    let stands = "The verdict would still stand with";
    (!known.is_empty()).then(|| format!("{stands} {}, each with the others held.", known.join(", ")))
}

/// Four digits, rounded up: what may be lost is never printed smaller than it is.
fn up(x: f64) -> f64 {
    four_digits(x, f64::ceil)
}

/// Four digits, rounded down: what may be assumed is never printed larger than it is.
fn down(x: f64) -> f64 {
    four_digits(x, f64::floor)
}

fn four_digits(x: f64, round: impl Fn(f64) -> f64) -> f64 {
    let scale = 10f64.powf(3.0 - x.abs().log10().floor());
    let rounded = round(x * scale) / scale;
    if rounded.is_finite() { rounded } else { x }
}
