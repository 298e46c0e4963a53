//! Standard output and standard error. A reader that has gone away (`| head`) is not an error: writing stops.

use std::borrow::Cow;
use std::io::{ErrorKind, IsTerminal, Write, stderr, stdout};
use treville_verifier::report::{Paint, Palette};

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    Always,
    Never,
}

pub(crate) struct Output {
    /// For standard output.
    pub(crate) palette: Palette,
    /// For standard error.
    pub(crate) error_palette: Palette,
    closed: bool,
}

/// The reader has gone away.
pub(crate) struct Closed;

impl Output {
    pub(crate) fn new(color: Color) -> Self {
        Output {
            palette: palette(color, stdout().is_terminal()),
            error_palette: palette(color, stderr().is_terminal()),
            closed: false,
        }
    }

    /// Writes to standard output.
    pub(crate) fn print(&mut self, text: &str) -> Result<(), Closed> {
        if self.closed {
            return Err(Closed);
        }
        let mut out = stdout().lock();
        match out.write_all(with_flags(text).as_bytes()).and_then(|()| out.flush()) {
            Ok(()) => Ok(()),
            Err(error) => {
                self.closed = true;
                if error.kind() != ErrorKind::BrokenPipe {
                    self.error(&format!("cannot write to standard output: {error}"));
                }
                Err(Closed)
            }
        }
    }

    /// A message on standard error that has no place in an input.
    pub(crate) fn error(&self, message: &str) {
        self.note(&format!("{}: {message}\n", self.error_palette.paint(Paint::Bad, "error")));
    }

    /// Text for standard error; nobody can be told if that fails.
    pub(crate) fn note(&self, text: &str) {
        let _ = stderr().lock().write_all(with_flags(text).as_bytes());
    }
}

/// How messages of the library name an option; the command line shows the flag, `--bound` for "option `bound`".
const OPTION: &str = "option `";

/// The text with flags in place of the names of options.
fn with_flags(text: &str) -> Cow<'_, str> {
    if !text.contains(OPTION) {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split(OPTION);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once('`') {
            Some((name, rest)) if is_option(name) => out.extend(["--", name, rest]),
            _ => out.extend([OPTION, part]),
        }
    }
    Cow::Owned(out)
}

fn is_option(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

fn palette(color: Color, terminal: bool) -> Palette {
    let wanted = match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
    };
    if wanted { Palette::COLOURED } else { Palette::PLAIN }
}

#[cfg(test)]
mod tests {
    use super::with_flags;

    #[test]
    fn options_are_shown_as_flags() {
        let said = "a limit was reached (option `max-states` N raises it, option `accept-bounded` accepts it)";
        assert_eq!(with_flags(said), "a limit was reached (--max-states N raises it, --accept-bounded accepts it)");
        for other in ["no option", "an option `", "option `X`", "option ``"] {
            assert_eq!(with_flags(other), other);
        }
    }
}
