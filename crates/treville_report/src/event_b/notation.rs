//! Formulas are written once, in the letters of the keyboard; this spells them as Event-B or as classical B wants them.

use std::fmt::Write;

/// How formulas are spelt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Notation {
    /// The signs of mathematics, as Rodin reads them.
    EventB,
    /// As ProB reads `.mch` files.
    ClassicalB,
}

/// Our spelling, that of Event-B, that of classical B; longer ones first where one begins another.
const SIGNS: &[(&str, &str, &str)] = &[
    (">->>", "⤖", ">->>"),
    ("-->", "→", "-->"),
    ("<->", "↔", "<->"),
    ("|->", "↦", "|->"),
    ("..", "‥", ".."),
    (":=", "≔", ":="),
    ("=>", "⇒", "=>"),
    ("<=", "≤", "<="),
    (">=", "≥", ">="),
    ("<:", "⊆", "<:"),
    ("/:", "∉", "/:"),
    ("/=", "≠", "/="),
    ("\\/", "∪", "\\/"),
    ("/\\", "∩", "/\\"),
    ("**", "×", "*"),
    ("|>", "▷", "|>"),
    ("{}", "∅", "{}"),
    (":", "∈", ":"),
    ("&", "∧", "&"),
    ("~", "∼", "~"),
    ("\\", "∖", "-"),
    ("-", "−", "-"),
    ("!", "∀", "!"),
    ("#", "∃", "#"),
    (".", "·", "."),
];

/// The same for words.
const WORDS: &[(&str, &str, &str)] = &[
    ("or", "∨", "or"),
    ("not", "¬", "not"),
    ("NAT", "ℕ", "NATURAL"),
    ("INT", "ℤ", "INTEGER"),
    ("VAL", "VAL", "INTEGER"),
];

impl Notation {
    fn of<'a>(self, (_, event_b, classical): &(&'a str, &'a str, &'a str)) -> &'a str {
        match self {
            Notation::EventB => event_b,
            Notation::ClassicalB => classical,
        }
    }

    pub(super) fn spell(self, formula: &str) -> String {
        let mut out = String::new();
        let mut rest = formula;
        while let Some(first) = rest.chars().next() {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let length = if is_word(first) {
                let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                let word = &rest[..length];
                out += WORDS.iter().find(|(ours, ..)| *ours == word).map_or(word, |sign| self.of(sign));
                length
            } else if let (true, Some(end)) = (self == Notation::ClassicalB && "!#".contains(first), rest.find('.')) {
                // Several names are in parentheses.
                let names = &rest[1..end];
                let _ =
                    if names.contains(',') { write!(out, "{first}({names}).") } else { write!(out, "{first}{names}.") };
                end + 1
            } else if let Some(sign) = SIGNS.iter().find(|(ours, ..)| rest.starts_with(ours)) {
                out += self.of(sign);
                sign.0.len()
            } else {
                out.push(first);
                first.len_utf8()
            };
            rest = &rest[length..];
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_and_words() {
        let formula = "!w.((w : OW[{t}] & not(x = -1)) => f~[{}] <: (A \\ B) ** VAL)";
        let event_b = "∀w·((w ∈ OW[{t}] ∧ ¬(x = −1)) ⇒ f∼[∅] ⊆ (A ∖ B) × VAL)";
        assert_eq!(Notation::EventB.spell(formula), event_b);
        let classical = "!w.((w : OW[{t}] & not(x = -1)) => f~[{}] <: (A - B) * INTEGER)";
        assert_eq!(Notation::ClassicalB.spell(formula), classical);
        assert_eq!(Notation::EventB.spell("word or NATS"), "word ∨ NATS");
        assert_eq!(Notation::EventB.spell("#a,b.(a = b)"), "∃a,b·(a = b)");
        assert_eq!(Notation::ClassicalB.spell("#a,b.(a = b)"), "#(a,b).(a = b)");
    }
}
