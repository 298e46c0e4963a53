//! Colours by role. A palette that is off gives plain text, so that no format asks whether it writes to a terminal.

/// What a piece of text is, not how it looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Paint {
    Good,
    Bad,
    Doubt,
    Strong,
    Faint,
    /// Names of relations and sets.
    Relation,
    /// Places in a text.
    Place,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Palette {
    on: bool,
}

impl Palette {
    pub const PLAIN: Palette = Palette { on: false };
    pub const COLOURED: Palette = Palette { on: true };

    /// `text` in the role's colour.
    pub fn paint(self, role: Paint, text: &str) -> String {
        if !self.on || text.is_empty() {
            return text.to_owned();
        }
        let code = match role {
            Paint::Good => "1;32",
            Paint::Bad => "1;31",
            Paint::Doubt => "1;33",
            Paint::Strong => "1",
            Paint::Faint => "2",
            Paint::Relation => "36",
            Paint::Place => "34",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }

    /// `text` in the role's colour, filled with spaces to `width` characters.
    pub fn pad(self, role: Paint, text: &str, width: usize) -> String {
        let fill = width.saturating_sub(text.chars().count());
        format!("{}{:fill$}", self.paint(role, text), "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_counts_characters_not_escapes() {
        assert_eq!(Palette::PLAIN.pad(Paint::Good, "é", 3), "é  ");
        assert_eq!(Palette::COLOURED.pad(Paint::Faint, "ab", 3), "\x1b[2mab\x1b[0m ");
    }
}
