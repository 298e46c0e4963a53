//! Configuration files of other tools (`.cfg`): a key and a value in each line, `#` for comments.
//!
//! Keys that decide what an answer means have a field of their own. The many others, mostly about drawing, are kept as
//! they are.

use std::time::Duration;
use treville_base::{Diagnostic, SourceMap, Span};

/// What a configuration file says.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Config {
    /// `model` or `cat`.
    pub model: Option<String>,
    pub bell: Option<String>,
    pub macros: Option<String>,
    /// `variant`, several times or separated by commas.
    pub variants: Vec<String>,
    /// `include`: folders to search.
    pub include: Vec<String>,
    pub unroll: Option<u32>,
    pub timeout: Option<Duration>,
    /// `conf` and `local-conf`: other configuration files to read first.
    pub configs: Vec<String>,
    pub others: Vec<Setting>,
}

/// A line that has no meaning of its own here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    pub key: String,
    pub value: String,
    pub span: Span,
}

/// Reads a configuration file.
///
/// # Errors
/// Lines without a value, and values that are not numbers where a number is due.
pub fn parse_config(name: &str, text: &str, sources: &mut SourceMap) -> Result<Config, Vec<Diagnostic>> {
    let file = sources.add(name, text);
    let mut config = Config::default();
    let mut diagnostics = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        let indent = line.len() - line.trim_start().len();
        let span = Span::new(file, start + indent, start + indent + content.len());
        start += line.len();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let key_end = content.find(|c: char| !(c.is_ascii_alphabetic() || c == '-')).unwrap_or(content.len());
        let (key, rest) = content.split_at(key_end);
        let value = rest.trim_start().strip_prefix('=').unwrap_or(rest).trim();
        if key.is_empty() || value.is_empty() {
            diagnostics.push(Diagnostic::error(span, "expected a key and a value, as in `model tso.cat`"));
        } else if let Err(message) = config.set(key, value, span) {
            diagnostics.push(Diagnostic::error(span, message));
        }
    }
    if diagnostics.is_empty() { Ok(config) } else { Err(diagnostics) }
}

impl Config {
    fn set(&mut self, key: &str, value: &str, span: Span) -> Result<(), String> {
        let owned = value.to_string();
        match key {
            "model" | "cat" => self.model = Some(owned),
            "bell" => self.bell = Some(owned),
            "macros" => self.macros = Some(owned),
            "variant" => self.variants.extend(value.split(',').map(|v| v.trim().to_string())),
            "include" => self.include.push(owned),
            "conf" | "local-conf" => self.configs.push(owned),
            "unroll" => self.unroll = Some(number(key, value)?),
            "timeout" if value == "none" => self.timeout = None,
            "timeout" => self.timeout = Some(seconds(key, value)?),
            _ => self.others.push(Setting { key: key.to_string(), value: owned, span }),
        }
        Ok(())
    }
}

fn number(key: &str, value: &str) -> Result<u32, String> {
    value.parse().map_err(|_| format!("`{key}` needs a number, not `{value}`"))
}

fn seconds(key: &str, value: &str) -> Result<Duration, String> {
    let duration = value.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| format!("`{key}` needs a number of seconds, not `{value}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_keys_and_values() {
        let text = "# comment\nmodel linux-kernel.cat\n macros=linux.def\r\nvariant mixed,self\nvariant = lkmmv2\n\
                    unroll 3\ntimeout 1.5\nedgeattr hb,color,indigo\n\n";
        let config = parse_config("t.cfg", text, &mut SourceMap::new()).expect("a correct text");
        assert_eq!(config.model.as_deref(), Some("linux-kernel.cat"));
        assert_eq!(config.macros.as_deref(), Some("linux.def"));
        assert_eq!(config.variants, ["mixed", "self", "lkmmv2"]);
        assert_eq!((config.unroll, config.timeout), (Some(3), Some(Duration::from_millis(1500))));
        assert_eq!(config.others[0].value, "hb,color,indigo");
    }

    #[test]
    fn broken_lines_are_located() {
        let mut sources = SourceMap::new();
        let diagnostics = parse_config("t.cfg", "model\nunroll x\n =1\nbell a\n", &mut sources).expect_err("errors");
        let found: Vec<String> = diagnostics
            .iter()
            .map(|d| {
                let at = sources.start(d.span.expect("a place"));
                format!("{}:{} {}", at.line, at.column, d.message)
            })
            .collect();
        let expected = [
            "1:1 expected a key and a value, as in `model tso.cat`",
            "2:1 `unroll` needs a number, not `x`",
            "3:2 expected a key and a value, as in `model tso.cat`",
        ];
        assert_eq!(found, expected);
    }
}
