//! The outlines of marks. Geometry only; the paint is in `marks.css`. Every row is 50 high: the worker's lane from 5
//! to 27, the provider's around 38.

use std::fmt::Write;

/// Top and bottom of a bar's outline.
pub(super) const TOP: i32 = 6;
/// Bottom.
pub(super) const BOTTOM: i32 = 26;
/// The middle of the worker's lane.
pub(super) const MIDDLE: i32 = 16;
/// The middle of the provider's lane.
pub(super) const PROVIDER: i32 = 38;
/// Base line of text in the worker's lane.
pub(super) const WORKER_TEXT: &str = "20.5";
/// Base line of text in the provider's lane.
pub(super) const PROVIDER_TEXT: &str = "42.5";
/// The least width of a bar.
pub(super) const BAR_MIN: i32 = 8;

/// A bar from edge to edge, strokes included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bar {
    /// Left edge.
    pub(super) left: i32,
    /// Right edge.
    pub(super) right: i32,
}

impl Bar {
    pub(super) fn width(self) -> i32 {
        self.right - self.left
    }

    pub(super) fn centre(self) -> i32 {
        (self.left + self.right).div_euclid(2)
    }

    fn radius(self) -> i32 {
        4.min((self.width() - 2) / 2).max(1)
    }

    /// Round on the left, square on the right. The stroke of 2 is inside the edges.
    pub(super) fn closed(self) -> String {
        let (l, r, c) = (self.left + 1, self.right - 1, self.radius());
        format!("M{r} {TOP}V{BOTTOM}H{}{}Z", l + c, left_side(c))
    }

    /// Without a right edge: it is not known yet.
    pub(super) fn open(self) -> String {
        let (l, r, c) = (self.left + 1, self.right, self.radius());
        format!("M{r} {BOTTOM}H{}{}H{r}", l + c, left_side(c))
    }

    /// With a torn right edge: four teeth.
    pub(super) fn torn(self) -> String {
        let (l, r, c) = (self.left + 1, self.right - 1, self.radius());
        let tooth = r - 6.min((self.width() - 2) / 2);
        let mut path = format!("M{} {TOP}H{r}", l + c);
        for step in 0..4 {
            let y = f64::from(TOP) + 5.0 * f64::from(step);
            let _ = write!(path, "L{tooth} {}L{r} {}", y + 2.5, y + 5.0);
        }
        let _ = write!(path, "H{}{}Z", l + c, left_side(c));
        path
    }

    /// Lines at 45 degrees within the bar, 6 apart.
    pub(super) fn hatch(self) -> String {
        hatch(self.left + 3, self.right - 3, TOP + 2, BOTTOM - 2, 6)
    }
}

fn left_side(corner: i32) -> String {
    let side = BOTTOM - TOP - 2 * corner;
    format!("a{corner} {corner} 0 0 1 -{corner} -{corner}v-{side}a{corner} {corner} 0 0 1 {corner} -{corner}")
}

/// Lines at 45 degrees within a box.
pub(crate) fn hatch(left: i32, right: i32, top: i32, bottom: i32, every: i32) -> String {
    let mut path = String::new();
    let mut sum = left + top + 4;
    while sum < right + bottom {
        let (from, to) = (left.max(sum - bottom), right.min(sum - top));
        if to > from {
            let _ = write!(path, "M{from} {}L{to} {}", sum - from, sum - to);
        }
        sum += every;
    }
    path
}

/// A diamond around a point.
pub(crate) fn diamond(x: i32, y: i32, half: f64) -> String {
    let (x, y) = (f64::from(x), f64::from(y));
    format!("M{x} {}L{} {y}L{x} {}L{} {y}Z", y - half, x + half, y + half, x - half)
}

/// An octagon, 22 across, around a point.
pub(crate) fn octagon(x: i32, y: i32) -> String {
    let (x, y) = (f64::from(x), f64::from(y));
    format!(
        "M{} {}H{}L{} {}V{}L{} {}H{}L{} {}V{}Z",
        x - 4.6,
        y - 11.0,
        x + 4.6,
        x + 11.0,
        y - 4.6,
        y + 4.6,
        x + 4.6,
        y + 11.0,
        x - 4.6,
        x - 11.0,
        y + 4.6,
        y - 4.6
    )
}

/// The zigzag of a fold, 28 wide, from a point on a line.
pub(crate) fn zigzag(x: i32, y: f64, high: i32) -> String {
    format!("M{x} {y}l5 0l4 -{}l6 {}l4 -{}h9", high, 2 * high, high)
}

/// Width of a text at 13 px in the sans stack, a little generously: the reader's font is not known.
pub(super) fn text_width(text: &str, bold: bool) -> i32 {
    let width: f64 = text
        .chars()
        .map(|c| match c {
            'i' | 'j' | 'l' | '.' | ',' | '\'' | ':' | '|' => 3.2,
            'f' | 't' | 'r' | ' ' | '(' | ')' | '-' | 'I' | '/' => 4.3,
            'm' | 'w' | 'M' | 'W' | '…' => 10.6,
            'A'..='Z' => 9.0,
            's' | 'c' | 'k' | 'v' | 'x' | 'y' | 'z' => 6.6,
            _ => 7.3,
        })
        .sum();
    (if bold { width * 1.06 } else { width }).ceil() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_keeps_within_its_edges() {
        let bar = Bar { left: 34, right: 173 };
        assert_eq!(bar.closed(), "M172 6V26H39a4 4 0 0 1 -4 -4v-12a4 4 0 0 1 4 -4Z");
        assert!(bar.torn().starts_with("M39 6H172L166 8.5L172 11"));
        assert!(Bar { left: 0, right: 8 }.closed().starts_with("M7 6V26H4a3 3"));
    }

    #[test]
    fn hatching_is_clipped_to_its_box() {
        assert_eq!(hatch(15, 97, 8, 24, 6).split('M').nth(1), Some("15 12L19 8"));
        let numbers = hatch(15, 30, 8, 24, 6).replace(['M', 'L'], " ");
        let xs: Vec<i32> = numbers.split_whitespace().step_by(2).map(|x| x.parse().unwrap()).collect();
        assert!(xs.iter().all(|x| (15..=30).contains(x)), "{xs:?}");
    }
}
