//! Mutations of seeds that know a little of languages: they move, drop, repeat and exchange words and lines, put extreme
//! numbers and deep nesting in, and sometimes damage single characters.

use crate::Rng;

/// Numbers at and beyond the edges of machine types.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "7",
    "64",
    "255",
    "65536",
    "2147483647",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "0xffffffffffffffff",
    "99999999999999999999999999999999",
    "0x",
];

/// Characters that languages treat specially, and some that take several bytes.
const CHARACTERS: &[char] = &[
    '(', ')', '{', '}', '[', ']', ';', ',', '"', '\'', '|', '*', '^', '~', '#', '\\', '\n', '\0', 'é', '→', '𝛼',
    '\u{feff}',
];

/// Pieces that nest; repeated, they must meet a limit and not the end of the stack.
const NESTING: &[&str] = &[
    "(",
    "[",
    "{",
    "~",
    "(*",
    "let x = ",
    "let rec f = fun x -> ",
    "if (1) { ",
    "*",
    "- ",
    "!",
    "(int)",
    "try ",
    "x ++ ",
];

/// Makes texts from seeds.
pub struct Mutator<'a> {
    seeds: &'a [String],
    /// Words of all seeds.
    words: Vec<&'a str>,
    rng: Rng,
}

impl<'a> Mutator<'a> {
    pub fn new(seeds: &'a [String], rng: Rng) -> Self {
        let mut words: Vec<&str> = seeds.iter().flat_map(|s| pieces(s)).filter(|w| !w.trim().is_empty()).collect();
        words.sort_unstable();
        words.dedup();
        Mutator { seeds, words, rng }
    }

    /// The next text: a seed with one mutation, more often than not, and up to six.
    pub fn text(&mut self) -> String {
        let mut text = self.rng.pick(self.seeds).cloned().unwrap_or_default();
        let more = self.rng.below(6);
        for _ in 0..=self.rng.below(more + 1) {
            text = self.mutated(&text);
        }
        text
    }

    fn mutated(&mut self, text: &str) -> String {
        match self.rng.below(12) {
            0..=5 => self.change_words(text),
            6..=7 => self.change_lines(text),
            8 => self.splice(text),
            9 => self.change_number(text),
            10 => self.nest(text),
            _ => self.damage(text),
        }
    }

    /// Drops, repeats, exchanges or replaces a word.
    fn change_words(&mut self, text: &str) -> String {
        let mut words = pieces(text);
        let solid: Vec<usize> = (0..words.len()).filter(|&i| !words[i].trim().is_empty()).collect();
        let (Some(&a), Some(&b)) = (self.rng.pick(&solid), self.rng.pick(&solid)) else { return text.to_owned() };
        let new = self.rng.pick(&self.words).copied().unwrap_or_default();
        match self.rng.below(5) {
            0 => drop(words.remove(a)),
            1 => words.insert(a, words[b]),
            2 => words.swap(a, b),
            3 => words.insert(a, new),
            _ => words[a] = new,
        }
        words.concat()
    }

    /// Drops, repeats or exchanges lines.
    fn change_lines(&mut self, text: &str) -> String {
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        if lines.is_empty() {
            return String::new();
        }
        let (a, b) = (self.rng.below(lines.len()), self.rng.below(lines.len()));
        match self.rng.below(3) {
            0 => drop(lines.remove(a)),
            1 => lines.insert(a, lines[b]),
            _ => lines.swap(a, b),
        }
        lines.concat()
    }

    /// The beginning of one text and the end of another.
    fn splice(&mut self, text: &str) -> String {
        let other: Vec<&str> = self.rng.pick(self.seeds).map_or(Vec::new(), |s| s.split_inclusive('\n').collect());
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let (head, tail) = (self.rng.below(lines.len() + 1), self.rng.below(other.len() + 1));
        lines[..head].concat() + &other[tail..].concat()
    }

    fn change_number(&mut self, text: &str) -> String {
        let mut words = pieces(text);
        let numbers: Vec<usize> =
            (0..words.len()).filter(|&i| words[i].starts_with(|c: char| c.is_ascii_digit())).collect();
        if let (Some(&at), Some(number)) = (self.rng.pick(&numbers), self.rng.pick(NUMBERS)) {
            words[at] = number;
        }
        words.concat()
    }

    /// Repeats a piece that nests, a few times or thousands of times.
    fn nest(&mut self, text: &str) -> String {
        let mut words = pieces(text);
        let at = self.rng.below(words.len() + 1);
        let times = [3, 30, 190, 210, 3000, 20_000][self.rng.below(6)];
        let nest = self.rng.pick(NESTING).map_or(String::new(), |piece| piece.repeat(times));
        words.insert(at, &nest);
        words.concat()
    }

    /// Drops, replaces or inserts a character, or cuts the text there.
    fn damage(&mut self, text: &str) -> String {
        let mut chars: Vec<char> = text.chars().collect();
        if chars.is_empty() {
            return text.to_owned();
        }
        let at = self.rng.below(chars.len());
        let new = self.rng.pick(CHARACTERS).copied().unwrap_or(' ');
        match self.rng.below(4) {
            0 => drop(chars.remove(at)),
            1 => chars[at] = new,
            2 => chars.insert(at, new),
            _ => chars.truncate(at),
        }
        chars.into_iter().collect()
    }
}

/// A text cut into words, runs of blanks, and single other characters; together they are the text.
fn pieces(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut before: Option<char> = None;
    for (at, c) in text.char_indices() {
        if before.is_some_and(|b| kind(b) != kind(c) || kind(c) == 2) {
            pieces.push(&text[start..at]);
            start = at;
        }
        before = Some(c);
    }
    if start < text.len() {
        pieces.push(&text[start..]);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_the_text() {
        let text = "let é = po-loc;\n\n(*x*)";
        assert_eq!(pieces(text).concat(), text);
        assert_eq!(pieces("a1 += b"), ["a1", " ", "+", "=", " ", "b"]);
        assert!(pieces("").is_empty());
    }

    #[test]
    fn the_same_seed_gives_the_same_texts() {
        let seeds = ["let a = po | rf\nacyclic a\n".to_owned(), String::new()];
        let texts = |seed| {
            let mut mutator = Mutator::new(&seeds, Rng::new(seed));
            (0..500).map(|_| mutator.text()).collect::<Vec<_>>()
        };
        assert_eq!(texts(1), texts(1));
        assert_ne!(texts(1), texts(2));
    }
}
