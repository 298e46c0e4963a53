//! Runs clang on a C or C++ file and takes the IR that it writes, or its messages.
//!
//! Programs are compiled without optimisation, so that what is checked is what was written, but in a form that passes may
//! simplify later, with names and lines kept. Users' flags come last and win.

use crate::header::HeaderFolder;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::Duration;
use treville_base::{Cancel, Diagnostic, Severity, SourceMap, Span};

/// The variable of the environment that names the compiler.
const VARIABLE: &str = "TREVILLE_CLANG";
/// Tried in this order.
const NAMES: [&str; 7] = ["clang", "clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14"];

/// What every program is compiled with.
const FLAGS: &[&str] = &[
    "-fno-discard-value-names",
    "-Xclang",
    "-disable-O0-optnone",
    "-g",
    "-D__TREVILLE__=1",
    // Errors since clang 16, but many programs of this field rely on them.
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=int-conversion",
    // Messages that can be read line by line.
    "-fno-color-diagnostics",
    "-fno-caret-diagnostics",
    "-fdiagnostics-format=clang",
];
/// How often it is looked whether the compiler has ended, or is to be ended.
const POLL: Duration = Duration::from_millis(2);
const OUTPUT: &[&str] = &["-S", "-emit-llvm", "-o", "-"];

/// A compiler that is installed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clang {
    pub program: PathBuf,
}

/// How to compile.
#[derive(Clone, Debug, Default)]
pub struct CompileOptions<'a> {
    /// Folders that are searched for headers before the system's.
    pub include: &'a [PathBuf],
    /// Further flags.
    pub flags: &'a [String],
    /// Ends the compiler, too.
    pub cancel: Cancel,
}

/// What the compiler wrote.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// LLVM IR, as text.
    pub ir: String,
    pub warnings: Vec<Diagnostic>,
}

impl Clang {
    /// The compiler that `TREVILLE_CLANG` names, else the first that is found.
    ///
    /// # Errors
    /// If there is none.
    pub fn find() -> Result<Self, Diagnostic> {
        let paths = env::var_os("PATH").unwrap_or_default();
        Self::find_in(env::var_os(VARIABLE), &paths)
    }

    fn find_in(variable: Option<OsString>, paths: &OsStr) -> Result<Self, Diagnostic> {
        let lookup = |name: &OsStr| env::split_paths(paths).map(|folder| folder.join(name)).find(|p| p.is_file());
        if let Some(name) = variable.filter(|name| !name.is_empty()) {
            let path = Path::new(&name);
            let found = if path.components().count() > 1 { path.is_file().then(|| path.into()) } else { lookup(&name) };
            return found.map(|program| Clang { program }).ok_or_else(|| {
                Diagnostic::error(None, format!("there is no compiler `{}`", path.display()))
                    .help(format!("the environment variable {VARIABLE} asks for it"))
            });
        }
        NAMES.iter().find_map(|name| lookup(OsStr::new(name))).map(|program| Clang { program }).ok_or_else(|| {
            Diagnostic::error(None, "clang is needed to read C and C++, and was not found")
                .help(format!("install clang 14 or later, or set {VARIABLE} to its path"))
        })
    }

    /// The arguments with which a file is compiled.
    pub fn arguments(source: &Path, options: &CompileOptions<'_>) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = FLAGS.iter().map(Into::into).collect();
        for folder in options.include {
            arguments.extend(["-I".into(), folder.into()]);
        }
        arguments.extend(options.flags.iter().map(Into::into));
        arguments.extend(OUTPUT.iter().map(Into::into));
        arguments.push(source.into());
        arguments
    }

    /// Compiles a file. `read` gives the text of a file that a message is about.
    ///
    /// # Errors
    /// What the compiler says, with places in `sources`; or why it could not be run.
    pub fn compile(
        &self,
        source: &Path,
        options: &CompileOptions<'_>,
        sources: &mut SourceMap,
        read: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Compiled, Vec<Diagnostic>> {
        let mut command = Command::new(&self.program);
        // The system's headers, and any of the user's, come first.
        let header = HeaderFolder::new();
        if let Some(header) = &header {
            command.arg("-idirafter").arg(header.path());
        }
        command.args(Self::arguments(source, options)).stdin(Stdio::null());
        let output = output(&mut command, &options.cancel).map_err(|error| {
            vec![Diagnostic::error(None, format!("`{}` cannot be run: {error}", self.program.display()))]
        })?;
        let said = String::from_utf8_lossy(&output.stderr);
        let mut diagnostics = messages(&said, sources, read);
        if output.status.success() {
            diagnostics.retain(|d| !d.is_error());
            return Ok(Compiled { ir: String::from_utf8_lossy(&output.stdout).into_owned(), warnings: diagnostics });
        }
        if !diagnostics.iter().any(Diagnostic::is_error) {
            let message = format!("`{}` failed with {}", self.program.display(), output.status);
            let help = said.lines().find(|line| !line.is_empty()).map(str::to_owned);
            diagnostics.push(Diagnostic { help, ..Diagnostic::error(None, message) });
        }
        Err(diagnostics)
    }
}

/// Runs a command to its end, or ends it if that is due.
fn output(command: &mut Command, cancel: &Cancel) -> io::Result<Output> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (said, complained) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        let said = scope.spawn(|| read_to_end(said));
        let complained = scope.spawn(|| read_to_end(complained));
        let status = wait(&mut child, cancel)?;
        let texts = [said, complained].map(|reader| reader.join().unwrap_or_else(|_| Ok(Vec::new())));
        let [stdout, stderr] = texts;
        Ok(Output { status, stdout: stdout?, stderr: stderr? })
    })
}

fn wait(child: &mut Child, cancel: &Cancel) -> io::Result<ExitStatus> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if cancel.is_raised() || cancel.is_late() || cancel.is_full() {
            // It may have ended meanwhile, which is as well.
            let _ = child.kill();
            return child.wait();
        }
        std::thread::sleep(POLL);
    }
}

fn read_to_end(from: Option<impl Read>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.map_or(Ok(0), |mut from| from.read_to_end(&mut bytes))?;
    Ok(bytes)
}

/// What the compiler said, line by line. Notes belong to the message before them.
fn messages(said: &str, sources: &mut SourceMap, read: &dyn Fn(&str) -> Option<String>) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for line in said.lines() {
        let Some((place, severity, message)) = split(line) else { continue };
        let span = place_of(place).and_then(|(file, line, column)| locate(file, line, column, sources, read));
        match (severity, span, diagnostics.last_mut()) {
            (Severity::Note, Some(span), Some(last)) => *last = last.clone().label(span, message),
            (Severity::Note, ..) => {}
            (Severity::Error, span, _) => diagnostics.push(Diagnostic::error(span, message)),
            (Severity::Warning, span, _) => diagnostics.push(Diagnostic::warning(span, message)),
        }
    }
    diagnostics
}

/// The place, the kind and the text of a message.
fn split(line: &str) -> Option<(&str, Severity, &str)> {
    let kinds = [
        (": fatal error: ", Severity::Error),
        (": error: ", Severity::Error),
        (": warning: ", Severity::Warning),
        (": note: ", Severity::Note),
    ];
    let found = kinds.iter().filter_map(|(word, severity)| Some((line.find(word)?, *word, *severity)));
    let (at, word, severity) = found.min_by_key(|&(at, ..)| at)?;
    Some((&line[..at], severity, &line[at + word.len()..]))
}

/// `file:line:column`; the name may contain colons.
fn place_of(place: &str) -> Option<(&str, usize, usize)> {
    let mut parts = place.rsplitn(3, ':');
    let column = parts.next()?.parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    Some((parts.next()?, line, column))
}

/// The word at a line and column, both from 1 and in bytes, in a file that is read if it is new.
fn locate(
    name: &str,
    line: usize,
    column: usize,
    sources: &mut SourceMap,
    read: &dyn Fn(&str) -> Option<String>,
) -> Option<Span> {
    let known = sources.files().find(|(_, file)| file.name == name).map(|(id, _)| id);
    let file = match known {
        Some(file) => file,
        None => sources.add(name, read(name)?),
    };
    let text = &sources.file(file).text;
    let start: usize = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
    let rest = text.get(start..)?.split('\n').next()?;
    let column = column.saturating_sub(1).min(rest.len());
    let word = rest.get(column..)?.find(|c: char| !c.is_alphanumeric() && c != '_');
    let length = word.unwrap_or(rest.len() - column);
    Some(Span::new(file, start + column, start + column + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_places() {
        let said = "In file included from a.c:1:\n\
            a.c:2:3: error: use of undeclared identifier 'oops'\n\
            a.c:1:5: note: did you mean 'oop'?\n\
            a.c:3:1: warning: never mind [-Wmind]\n\
            clang: error: no such file or directory: 'b.c'\n\
            1 error generated.\n";
        let mut sources = SourceMap::new();
        let text = "int oop;\n  oops();\n";
        let found = messages(said, &mut sources, &|name| (name == "a.c").then(|| text.to_owned()));
        let [first, second, third] = &found[..] else { panic!("{found:#?}") };
        let span = first.span.expect("a place");
        assert_eq!((sources.snippet(span), sources.start(span).line, sources.start(span).column), ("oops", 2, 3));
        assert_eq!(sources.snippet(first.labels[0].span), "oop");
        assert_eq!((second.severity, second.message.as_str()), (Severity::Warning, "never mind [-Wmind]"));
        assert_eq!((third.span, third.message.as_str()), (None, "no such file or directory: 'b.c'"));
    }

    #[test]
    fn places_beyond_the_text_are_left_out() {
        let mut sources = SourceMap::new();
        let read = |_: &str| Some("x\n".to_owned());
        assert_eq!(locate("a.c", 0, 1, &mut sources, &read), None);
        assert!(locate("a.c", 1, 9, &mut sources, &read).is_some());
        assert!(locate("a.c", 7, 9, &mut sources, &read).is_none_or(|span| sources.snippet(span).is_empty()));
        assert_eq!(sources.files().count(), 1);
    }

    #[test]
    fn flags_of_the_user_come_after_ours() {
        let options = CompileOptions { include: &["inc".into()], flags: &["-DN=2".into()], cancel: Cancel::new() };
        let arguments = Clang::arguments(Path::new("a.c"), &options);
        let words: Vec<_> = arguments.iter().map(|a| a.to_string_lossy()).collect();
        assert!(words.join(" ").ends_with("-I inc -DN=2 -S -emit-llvm -o - a.c"));
    }

    #[test]
    fn a_missing_compiler_is_said() {
        let nowhere = OsStr::new("");
        let missing = Clang::find_in(None, nowhere).expect_err("nothing is there");
        assert!(missing.help.expect("help").contains(VARIABLE));
        let asked = Clang::find_in(Some("no-such-clang".into()), nowhere).expect_err("nothing is there");
        assert_eq!(asked.message, "there is no compiler `no-such-clang`");
    }
}
