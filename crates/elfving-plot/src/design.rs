//! The picture of a design: where the weights are, and how well each candidate is then known.

use elfving::numerics::Matrix;

use crate::canvas::{Anchor, Area, Canvas, Font, Stroke};
use crate::colour::{BLUE, GREY, INK, PALE, VERMILION, heat};
use crate::legend::{Key, colour_bar, keys};
use crate::panel::{HEAD, Panel, YLabels, left_margin, write_head};
use crate::picture::{Picture, PictureError, drawable, same_length};
use crate::principal::principal;
use crate::scale::Span;
use crate::text::{LABEL, fitted, four_digits, width};

/// Most bars in the list of weights.
const MOST_BARS: usize = 40;
/// Most candidates without weight in a picture: more would hide one another.
const MOST_POINTS: usize = 20_000;

/// Weights below this part of the largest one are drawn as none.
const NEGLIGIBLE: f64 = 1e-3;

/// What the picture of a design shows.
#[derive(Debug, Clone, Copy)]
pub struct DesignView<'a> {
    /// The first line.
    pub title: &'a str,
    /// The second line.
    pub subtitle: &'a str,
    /// Coordinates of the candidates: n × d, finite.
    pub coordinates: &'a Matrix,
    /// The names of the d coordinates.
    pub names: &'a [String],
    /// Whether the coordinates share one unit; otherwise principal coordinates count every column the same.
    pub same_unit: bool,
    /// The names of the n candidates.
    pub ids: &'a [String],
    /// The n weights; zero for candidates that are not measured.
    pub weights: &'a [f64],
    /// The variance `φ(x)ᵀ M⁻¹ φ(x)` of each candidate; infinite where the design does not determine it.
    pub variance: &'a [f64],
}

/// Draws weights and variance function over the pool.
///
/// One coordinate: the variance as a curve above the weights as stems. Two: the candidates in the plane, the area of
/// a circle its weight and the colour its variance. More: the largest weights as bars beside the first two principal
/// coordinates.
///
/// # Errors
/// [`PictureError::Empty`] for no candidates, [`PictureError::Length`] for lists that do not fit together,
/// [`PictureError::NotDrawable`] for coordinates or weights that are not finite.
///
/// ```
/// use elfving::numerics::Matrix;
/// use elfving_plot::{DesignView, design_picture};
/// let x = Matrix::from_rows(&[[0.0], [0.5], [1.0]]);
/// let picture = design_picture(&DesignView {
///     title: "G-optimal design",
///     subtitle: "a straight line",
///     coordinates: &x,
///     names: &["dose".to_owned()],
///     same_unit: true,
///     ids: &["a".to_owned(), "b".to_owned(), "c".to_owned()],
///     weights: &[0.5, 0.0, 0.5],
///     variance: &[2.0, 1.0, 2.0],
/// })?;
/// assert!(picture.to_svg().contains("dose"));
/// # Ok::<(), elfving_plot::PictureError>(())
/// ```
pub fn design_picture(view: &DesignView) -> Result<Picture, PictureError> {
    let n = view.coordinates.rows();
    if n == 0 || view.coordinates.columns() == 0 {
        return Err(PictureError::Empty);
    }
    same_length("names of coordinates", view.names.len(), view.coordinates.columns())?;
    same_length("ids", view.ids.len(), n)?;
    same_length("weights", view.weights.len(), n)?;
    same_length("variances", view.variance.len(), n)?;
    drawable("coordinates", view.coordinates.as_slice(), false)?;
    drawable("weights", view.weights, false)?;
    let canvas = match view.coordinates.columns() {
        1 => along_a_line(view),
        2 => in_the_plane(view),
        _ => bars_and_principal_coordinates(view),
    };
    Ok(Picture { canvas })
}

/// The variance as a curve, the weights as stems below it, over the same axis.
fn along_a_line(view: &DesignView) -> Canvas {
    let (page, height) = (900.0, 620.0);
    let mut canvas = Canvas::new(page, height);
    write_head(&mut canvas, view.title, view.subtitle, page);

    let x: Vec<f64> = (0..view.coordinates.rows()).map(|i| view.coordinates[(i, 0)]).collect();
    let x_span = Span::of(x.iter().copied(), false).padded_both();
    let variance = variance_span(view);
    let weights = Span::of(view.weights.iter().copied(), false).with(0.0).padded();
    let left = left_margin(variance, 290.0).max(left_margin(weights, 160.0));
    let upper = Area { left, top: HEAD + 12.0, right: page - 30.0, bottom: 360.0 };
    let lower = Area { top: 390.0, bottom: height - 60.0, ..upper };

    let above = Panel::new(upper, 0.0, x_span, variance);
    above.draw_axes(&mut canvas, None, "variance", YLabels::Numbers);
    let largest = view.variance.iter().copied().filter(|v| v.is_finite()).fold(0.0, f64::max);
    let level = above.y.position(largest);
    canvas.line((upper.left, level), (upper.right, level), Stroke::dashed(VERMILION, 1.2));
    let limit = Font { colour: VERMILION, ..LABEL };
    canvas.text(
        (upper.right, level - 6.0),
        &format!("largest: {}", four_digits(largest)),
        limit,
        Anchor::End,
    );
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|&i, &j| x[i].total_cmp(&x[j]));
    for known in order.split(|&i| !view.variance[i].is_finite()) {
        let curve: Vec<_> = known.iter().map(|&i| above.at(x[i], view.variance[i])).collect();
        canvas.polyline(curve, Stroke::new(BLUE, 1.8));
    }
    // Many stems are thin, and a candidate that is hardly measured has none.
    let heaviest = heaviest(view);
    let heavy: Vec<usize> = support(view).filter(|&i| view.weights[i] > NEGLIGIBLE * heaviest).collect();
    let (dot, stem) = if heavy.len() > 60 { (2.2, 1.0) } else { (3.6, 1.8) };
    for &i in heavy.iter().filter(|&&i| view.variance[i].is_finite()) {
        canvas.circle(above.at(x[i], view.variance[i]), dot, Some(BLUE), None);
    }

    let below = Panel::new(lower, 0.0, x_span, weights);
    below.draw_axes(&mut canvas, Some(&view.names[0]), "weight", YLabels::Numbers);
    for i in heavy {
        canvas.line(below.at(x[i], 0.0), below.at(x[i], view.weights[i]), Stroke::new(BLUE, stem));
        canvas.circle(below.at(x[i], view.weights[i]), dot, Some(BLUE), None);
    }
    canvas
}

/// The candidates in the plane.
fn in_the_plane(view: &DesignView) -> Canvas {
    let (page, height) = (900.0, 640.0);
    let mut canvas = Canvas::new(page, height);
    write_head(&mut canvas, view.title, view.subtitle, page);
    let points: Vec<(f64, f64)> =
        (0..view.coordinates.rows()).map(|i| (view.coordinates[(i, 0)], view.coordinates[(i, 1)])).collect();
    let area = Area { left: 0.0, top: HEAD + 12.0, right: page - 165.0, bottom: height - 60.0 };
    let titles = (view.names[0].as_str(), view.names[1].as_str());
    scatter(&mut canvas, area, view, &points, titles);
    canvas
}

/// The largest weights as bars, and all candidates on the two axes along which they differ most.
fn bars_and_principal_coordinates(view: &DesignView) -> Canvas {
    let (page, height) = (1200.0, 680.0);
    let mut canvas = Canvas::new(page, height);
    write_head(&mut canvas, view.title, view.subtitle, page);
    let top = HEAD + 12.0;
    bars(&mut canvas, Area { left: 20.0, top, right: 470.0, bottom: height - 60.0 }, view);
    let Some(principal) = principal(view.coordinates, !view.same_unit) else { return canvas };
    let title =
        |k: usize, share: f64| format!("principal coordinate {k} ({:.0} % of the spread)", 100.0 * share);
    let (first, second) = (title(1, principal.shares.0), title(2, principal.shares.1));
    let area = Area { left: 500.0, top, right: page - 165.0, bottom: height - 60.0 };
    scatter(&mut canvas, area, view, &principal.points, (&first, &second));
    canvas
}

/// A horizontal bar for each of the largest weights. `room` includes the ids.
fn bars(canvas: &mut Canvas, room: Area, view: &DesignView) {
    let mut order: Vec<usize> = support(view).collect();
    order.sort_by(|&i, &j| view.weights[j].total_cmp(&view.weights[i]).then(i.cmp(&j)));
    let all = order.len();
    order.truncate(MOST_BARS);
    let rows = order.len();
    const LABEL_ROOM: f64 = 130.0;
    let names: Vec<(f64, String)> =
        order.iter().enumerate().map(|(k, &i)| (k as f64, fitted(&view.ids[i], LABEL, LABEL_ROOM))).collect();
    let widest = names.iter().map(|(_, name)| width(name, LABEL)).fold(0.0, f64::max);
    let bottom = room.bottom.min(room.top + 40.0 * rows as f64);
    let area = Area { left: room.left + widest + 12.0, bottom, ..room };
    let weights = Span::of(view.weights.iter().copied(), false).with(0.0).padded();
    let panel = Panel::rows(area, room.left, weights, rows);
    let title =
        if all > rows { format!("weight (the {rows} largest of {all})") } else { "weight".to_owned() };
    panel.draw_axes(canvas, Some(&title), "", YLabels::Names(&names));
    let thickness = (area.height() / rows as f64 * 0.62).min(18.0);
    for (k, &i) in order.iter().enumerate() {
        let (x, y) = panel.at(view.weights[i], k as f64);
        let bar = Area { left: area.left, top: y - thickness / 2.0, right: x, bottom: y + thickness / 2.0 };
        canvas.rectangle(bar, BLUE);
    }
}

/// Candidates as points: the colour is the variance, the area of a circle the weight. `room` includes the labels of
/// the y axis; the legend stands to its right.
fn scatter(canvas: &mut Canvas, room: Area, view: &DesignView, points: &[(f64, f64)], titles: (&str, &str)) {
    let x = Span::of(points.iter().map(|p| p.0), false).padded_both();
    let y = Span::of(points.iter().map(|p| p.1), false).padded_both();
    let area = Area { left: room.left + left_margin(y, room.height()), ..room };
    let panel = Panel::new(area, room.left, x, y);
    panel.draw_axes(canvas, Some(titles.0), titles.1, YLabels::Numbers);

    let (low, high) = variance_range(view);
    let stride = points.len().div_ceil(MOST_POINTS);
    let radius = if points.len() > 3000 { 2.0 } else { 3.0 };
    let heaviest = heaviest(view);
    let light = |i: usize| !(view.weights[i] > NEGLIGIBLE * heaviest);
    for i in (0..points.len()).step_by(stride).filter(|&i| light(i)) {
        canvas.circle(
            panel.at(points[i].0, points[i].1),
            radius,
            Some(heat(view.variance[i], low, high)),
            None,
        );
    }
    let size = |weight: f64| (16.0 * (weight / heaviest).sqrt()).max(radius);
    // The heaviest first, so that none hides a lighter one.
    let mut order: Vec<usize> = support(view).filter(|&i| !light(i)).collect();
    order.sort_by(|&i, &j| view.weights[j].total_cmp(&view.weights[i]));
    for i in order {
        let colour = heat(view.variance[i], low, high);
        let outline = Some(Stroke::new(INK, 1.1));
        canvas.circle(panel.at(points[i].0, points[i].1), size(view.weights[i]), Some(colour), outline);
    }

    let left = area.right + 30.0;
    let mut next = area.top + 6.0;
    if low <= high {
        let bar = Area { left, top: area.top + 20.0, right: left + 16.0, bottom: area.top + 240.0 };
        colour_bar(canvas, bar, low, high, "variance");
        next = bar.bottom + 30.0;
    }
    let mut entries: Vec<(Key, String)> = round_weights(heaviest)
        .into_iter()
        .map(|weight| (Key::Circle(size(weight), None), format!("weight {weight}")))
        .collect();
    if (0..points.len()).any(light) {
        entries.push((Key::Circle(radius, Some(GREY)), "weight 0".to_owned()));
    }
    if view.variance.iter().any(|v| !v.is_finite()) {
        entries.push((Key::Circle(radius, Some(PALE)), "not determined".to_owned()));
    }
    keys(canvas, (left - 6.0, next), &entries);
}

fn heaviest(view: &DesignView) -> f64 {
    view.weights.iter().copied().fold(0.0, f64::max)
}

/// The smallest and the largest variance; the same number where they differ by rounding or tolerance only, and the
/// wrong way round when no variance is known.
fn variance_range(view: &DesignView) -> (f64, f64) {
    let known = view.variance.iter().copied().filter(|v| v.is_finite());
    let (low, high) = known.fold((f64::INFINITY, 0.0f64), |(low, high), v| (low.min(v), high.max(v)));
    if low <= high && high - low < 1e-3 * high { (high, high) } else { (low, high) }
}

/// The variances, from zero unless that would flatten the curve.
fn variance_span(view: &DesignView) -> Span {
    let (low, high) = variance_range(view);
    let span = Span::of([low, high], false);
    if low > 0.5 * high && low < high { span.padded_both() } else { span.with(0.0).padded() }
}

/// Candidates with weight, in the order of the pool.
fn support<'a>(view: &'a DesignView) -> impl Iterator<Item = usize> + 'a {
    (0..view.weights.len()).filter(|&i| view.weights[i] > 0.0)
}

/// Two round weights up to the largest one, for a legend.
fn round_weights(heaviest: f64) -> Vec<f64> {
    if !(heaviest > 0.0) {
        return Vec::new();
    }
    let power = 10f64.powf(heaviest.log10().floor());
    let top = [5.0, 2.0, 1.0].into_iter().find(|m| m * power <= heaviest * 1.000_001).unwrap_or(1.0) * power;
    // Through text, so that 0.1 * 0.2 is 0.02.
    [top, top / 5.0].iter().filter_map(|w| format!("{w:.1e}").parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view<'a>(
        x: &'a Matrix,
        names: &'a [String],
        ids: &'a [String],
        weights: &'a [f64],
        variance: &'a [f64],
    ) -> DesignView<'a> {
        let (title, subtitle) = ("a <title> & $more$", "subtitle");
        DesignView { title, subtitle, coordinates: x, names, same_unit: false, ids, weights, variance }
    }

    fn words(count: usize, word: &str) -> Vec<String> {
        (0..count).map(|i| format!("{word}{i}")).collect()
    }

    #[test]
    fn every_number_of_coordinates_has_a_picture_with_its_titles() {
        for d in [1, 2, 3, 7] {
            let x = Matrix::from_fn(60, d, |i, k| ((i * (k + 3)) % 17) as f64);
            let weights: Vec<f64> = (0..60).map(|i| if i < 50 { 0.02 } else { 0.0 }).collect();
            let variance: Vec<f64> = (0..60).map(|i| 1.0 + i as f64).collect();
            let (names, ids) = (words(d, "column"), words(60, "id"));
            let svg = design_picture(&view(&x, &names, &ids, &weights, &variance)).unwrap().to_svg();
            let expected = if d <= 2 { "column0" } else { "principal coordinate 1" };
            assert!(svg.contains(expected), "{d}");
            assert!(svg.contains("a &lt;title&gt; &amp; $more$"), "{svg}");
            assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{d}");
            if d > 2 {
                assert!(svg.contains("the 40 largest of 50"));
            }
        }
    }

    #[test]
    fn one_candidate_equal_candidates_and_undetermined_variance_can_be_drawn() {
        for (n, d) in [(1, 1), (1, 2), (1, 5), (4, 3)] {
            let x = Matrix::from_fn(n, d, |_, k| k as f64);
            let (names, ids) = (words(d, "x"), words(n, "id"));
            let mut weights = vec![0.0; n];
            weights[0] = 1.0;
            for variance in [vec![f64::INFINITY; n], vec![2.0; n]] {
                let svg = design_picture(&view(&x, &names, &ids, &weights, &variance)).unwrap().to_svg();
                assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{n} {d}: {svg}");
            }
        }
    }

    #[test]
    fn lists_that_do_not_fit_are_refused() {
        let x = Matrix::from_fn(2, 1, |i, _| i as f64);
        let (names, ids) = (words(1, "x"), words(2, "id"));
        let wrong = design_picture(&view(&x, &names, &ids, &[1.0], &[1.0, 1.0])).unwrap_err();
        assert_eq!(wrong, PictureError::Length { what: "weights", expected: 2, got: 1 });
        let wrong = design_picture(&view(&x, &names, &ids, &[1.0, f64::NAN], &[1.0, 1.0])).unwrap_err();
        assert!(matches!(wrong, PictureError::NotDrawable { index: 1, .. }));
    }

    #[test]
    fn variances_that_differ_by_rounding_only_are_one_number() {
        let x = Matrix::from_fn(3, 1, |i, _| i as f64);
        let (names, ids) = (words(1, "x"), words(3, "id"));
        let range = |variance: &[f64]| variance_range(&view(&x, &names, &ids, &[1.0, 0.0, 0.0], variance));
        assert_eq!(range(&[6.0, 6.000_000_1, 5.999_999]), (6.000_000_1, 6.000_000_1));
        assert_eq!(range(&[6.0, 5.0, f64::INFINITY]), (5.0, 6.0));
    }

    #[test]
    fn the_legend_shows_round_weights_below_the_largest() {
        assert_eq!(round_weights(0.337), [0.2, 0.04]);
        assert_eq!(round_weights(0.05), [0.05, 0.01]);
        assert_eq!(round_weights(1.0), [1.0, 0.2]);
        assert!(round_weights(0.0).is_empty());
    }
}
