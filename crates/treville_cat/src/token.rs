//! The words of CAT.

use std::fmt;

/// What a token is; its text is found through its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Name,
    /// `'tag`.
    Tag,
    /// `"text"`.
    Text,
    Word(Word),
    Sign(Sign),
    End,
}

/// One token. Offsets are bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

macro_rules! spelled {
    ($(#[$meta:meta])* $name:ident { $($variant:ident $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum $name { $($variant,)* }

        impl $name {
            pub(crate) const ALL: &'static [$name] = &[$($name::$variant,)*];

            pub(crate) fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

spelled! {
    /// Reserved words.
    Word {
        Acyclic "acyclic",
        And "and",
        As "as",
        Assert "assert",
        Begin "begin",
        Call "call",
        Catdep "catdep",
        Debug "debug",
        Default "default",
        Do "do",
        Else "else",
        Empty "empty",
        End "end",
        Enum "enum",
        Flag "flag",
        Forall "forall",
        From "from",
        Fun "fun",
        If "if",
        In "in",
        Include "include",
        Instructions "instructions",
        Irreflexive "irreflexive",
        Let "let",
        Match "match",
        Not "not",
        Procedure "procedure",
        Rec "rec",
        Show "show",
        Subset "subset",
        Then "then",
        Try "try",
        UndefinedUnless "undefined_unless",
        Unshow "unshow",
        Variant "variant",
        When "when",
        With "with",
    }
}

spelled! {
    /// Punctuation and operators.
    Sign {
        OpenParen "(",
        CloseParen ")",
        OpenBrace "{",
        CloseBrace "}",
        OpenBracket "[",
        CloseBracket "]",
        Underscore "_",
        Zero "0",
        Bar "|",
        BarBar "||",
        Amp "&",
        AmpAmp "&&",
        Star "*",
        Tilde "~",
        Plus "+",
        PlusPlus "++",
        Hat "^",
        MinusOne "-1",
        Backslash "\\",
        Question "?",
        Equal "=",
        Semi ";",
        Comma ",",
        Arrow "->",
    }
}

impl Word {
    /// The reserved word spelled `text`.
    pub(crate) fn find(text: &str) -> Option<Word> {
        Self::ALL.binary_search_by(|word| word.as_str().cmp(text)).ok().map(|i| Self::ALL[i])
    }

    /// Whether it opens an instruction. `let`, `if` and `match` also open expressions, `with` also continues them.
    pub(crate) fn opens_instruction(self) -> bool {
        self.only_opens_instruction() || matches!(self, Word::Let | Word::If | Word::Match | Word::With)
    }

    /// Whether it opens an instruction wherever it stands.
    pub(crate) fn only_opens_instruction(self) -> bool {
        use Word::*;
        self.is_test()
            || matches!(
                self,
                Assert | Call | Debug | Default | Enum | Flag | Forall | Include | Instructions | Procedure | Show
            )
            || matches!(self, UndefinedUnless | Unshow)
    }

    /// `acyclic`, `irreflexive`, `empty`.
    pub(crate) fn is_test(self) -> bool {
        matches!(self, Word::Acyclic | Word::Irreflexive | Word::Empty)
    }
}

impl From<Word> for Kind {
    fn from(word: Word) -> Self {
        Kind::Word(word)
    }
}

impl From<Sign> for Kind {
    fn from(sign: Sign) -> Self {
        Kind::Sign(sign)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reserved_word_is_found() {
        for &word in Word::ALL {
            assert_eq!(Word::find(word.as_str()), Some(word));
        }
        assert_eq!(Word::find("po"), None);
    }
}
