//! Pixels: the only file that names the library behind them.

use kuva::RasterBackend;
use kuva::backend::svg::SvgBackend;
use kuva::plot::ColorMap;
use kuva::render::color::Color;
use kuva::render::render::{PathData, Primitive, Scene, TextAnchor, build_path};

use crate::colour::Colour;

/// Tried in turn by a viewer of the SVG; the PNG carries the first one.
const FONTS: &str = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif";
/// Pixels of a PNG for each unit of length: sharp on screens of high density, and in print at 8 cm.
const PNG_SCALE: f32 = 2.0;

/// A point in pixels, from the upper left corner.
pub(crate) type At = (f64, f64);

/// How a line is drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stroke {
    pub(crate) colour: Colour,
    pub(crate) width: f64,
    pub(crate) dashed: bool,
}

impl Stroke {
    pub(crate) fn new(colour: Colour, width: f64) -> Self {
        Self { colour, width, dashed: false }
    }

    pub(crate) fn dashed(colour: Colour, width: f64) -> Self {
        Self { colour, width, dashed: true }
    }

    fn dashes(&self) -> Option<String> {
        self.dashed.then(|| "9 5".to_owned())
    }
}

/// Which end of a text is at its position.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text is set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Font {
    pub(crate) size: u32,
    pub(crate) colour: Colour,
    pub(crate) bold: bool,
}

/// A rectangle in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl Area {
    pub(crate) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(crate) fn height(&self) -> f64 {
        self.bottom - self.top
    }
}

/// A white sheet of fixed size to draw on.
#[derive(Debug)]
pub(crate) struct Canvas {
    scene: Scene,
}

impl Canvas {
    pub(crate) fn new(width: f64, height: f64) -> Self {
        let mut scene = Scene::new(width, height);
        scene.font_family = Some(FONTS.to_owned());
        Self { scene }
    }

    pub(crate) fn line(&mut self, from: At, to: At, stroke: Stroke) {
        self.scene.add(Primitive::Line {
            x1: from.0,
            y1: from.1,
            x2: to.0,
            y2: to.1,
            stroke: paint(stroke.colour),
            stroke_width: stroke.width,
            stroke_dasharray: stroke.dashes(),
        });
    }

    pub(crate) fn polyline(&mut self, points: Vec<At>, stroke: Stroke) {
        self.scene.add(Primitive::PolyLine {
            points,
            stroke: paint(stroke.colour),
            stroke_width: stroke.width,
            stroke_dasharray: stroke.dashes(),
        });
    }

    /// Fills a polygon.
    pub(crate) fn area(&mut self, outline: &[At], fill: Colour, opacity: f64) {
        self.scene.add(Primitive::Path(Box::new(PathData {
            d: format!("{} Z", build_path(outline)),
            fill: Some(paint(fill)),
            stroke: Color::None,
            stroke_width: 0.0,
            opacity: Some(opacity),
            stroke_dasharray: None,
        })));
    }

    pub(crate) fn circle(&mut self, centre: At, radius: f64, fill: Option<Colour>, outline: Option<Stroke>) {
        self.scene.add(Primitive::Circle {
            cx: centre.0,
            cy: centre.1,
            r: radius,
            fill: fill.map_or(Color::None, paint),
            fill_opacity: None,
            stroke: outline.map(|stroke| paint(stroke.colour)),
            stroke_width: outline.map(|stroke| stroke.width),
        });
    }

    pub(crate) fn rectangle(&mut self, area: Area, fill: Colour) {
        self.scene.add(Primitive::Rect {
            x: area.left,
            y: area.top,
            width: area.width(),
            height: area.height(),
            fill: paint(fill),
            stroke: None,
            stroke_width: None,
            opacity: None,
        });
    }

    pub(crate) fn text(&mut self, at: At, content: &str, font: Font, anchor: Anchor) {
        self.put_text(at, content, font, anchor, None);
    }

    /// Text that reads upwards.
    pub(crate) fn upward_text(&mut self, at: At, content: &str, font: Font, anchor: Anchor) {
        self.put_text(at, content, font, anchor, Some(-90.0));
    }

    fn put_text(&mut self, at: At, content: &str, font: Font, anchor: Anchor, rotate: Option<f64>) {
        self.scene.add(Primitive::Text {
            x: at.0,
            y: at.1,
            // Unescaped, two dollars in a name would start a formula.
            content: content.replace('$', "\\$"),
            size: font.size,
            anchor: match anchor {
                Anchor::Start => TextAnchor::Start,
                Anchor::Middle => TextAnchor::Middle,
                Anchor::End => TextAnchor::End,
            },
            rotate,
            bold: font.bold,
            color: Some(paint(font.colour)),
        });
    }

    /// Draws only inside the area until [`unclip`](Self::unclip).
    pub(crate) fn clip(&mut self, area: Area) {
        let (x, y, width, height) = (area.left, area.top, area.width(), area.height());
        // Named by what it is: pictures on one page may share a name only where they share the area.
        let id = format!("clip-{x:.0}-{y:.0}-{width:.0}-{height:.0}");
        self.scene.defs.push(format!(
            r#"<clipPath id="{id}"><rect x="{x}" y="{y}" width="{width}" height="{height}"/></clipPath>"#
        ));
        self.scene.add(Primitive::ClipStart { x, y, width, height, id });
    }

    pub(crate) fn unclip(&mut self) {
        self.scene.add(Primitive::ClipEnd);
    }

    pub(crate) fn to_svg(&self) -> String {
        let svg = SvgBackend::new().render_scene(&self.scene);
        // With a view box the picture scales where a page gives it another width.
        let view = format!(r#"<svg viewBox="0 0 {} {}" "#, self.scene.width, self.scene.height);
        svg.replacen("<svg ", &view, 1)
    }

    pub(crate) fn to_png(&self) -> Result<Vec<u8>, String> {
        RasterBackend::new().with_scale(PNG_SCALE).render_scene(&self.scene)
    }
}

fn paint(colour: Colour) -> Color {
    Color::Rgb(colour.0, colour.1, colour.2)
}

/// *viridis* from dark (0) to light (1).
pub(crate) fn viridis(share: f64) -> Colour {
    let (r, g, b) = ColorMap::Viridis.map_rgb(share).expect("viridis has a colour for every number");
    Colour(r, g, b)
}
