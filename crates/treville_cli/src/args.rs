//! Verbs and options. Doc comments are what `--help` says.

use crate::output::Color;
use clap::builder::{EnumValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, Command, Parser, Subcommand, ValueEnum};
use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::time::Duration;
use treville_verifier::report::{FORMATS, Format};
use treville_verifier::task::{Reduction, Reductions};
use treville_verifier::{
    Abstraction, Cost, Flushes, IntegerSolver, ModelOptions, Options, Properties, RmaOptions, RunOptions, Search,
    Stage, States, SynthOptions, Which, bmc,
};

/// One verifier for programs on weak memory: litmus tests and C programs under any memory model written in CAT, and release-acquire
/// programs on machines with invariants.
///
/// Exit status: 0 the answer is yes; 1 no; 2 the input or the call is wrong; 3 unknown; 4 a mistake of our own.
#[derive(Parser, Debug)]
#[command(name = "treville", disable_version_flag = true, subcommand_required = false)]
pub(crate) struct Cli {
    /// Say the version, and the hashes of the bundled models.
    #[arg(short = 'V', long)]
    pub(crate) version: bool,
    /// Colours.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Verb {
    /// Answer the question that a program asks, under a memory model.
    Verify(Box<VerifyArgs>),
    /// Say why an outcome is allowed (an execution) or forbidden (the axiom and the cycle).
    Explain(Box<ExplainArgs>),
    /// List the outcomes that one model allows and the other does not, or find an execution that it does.
    Compare(Box<CompareArgs>),
    /// Draw executions.
    Show(Box<ShowArgs>),
    /// Check proofs that `verify --engine bmc --proof DIR` has left, without anything that has made them.
    CheckProof(CheckProofArgs),
    /// List the bundled models; `models check FILE` examines one.
    Models(ModelsArgs),
    /// List the engines.
    Engines,
    /// Find the cheapest placement of flushes that makes a program in .rma hold.
    Synth(Box<SynthArgs>),
    /// Serve the tool to a browser (not built yet).
    Serve(IgnoredArgs),
    /// Print a completion script for a shell.
    Completions { shell: clap_complete::Shell },
    /// Print the manual page.
    Man,
}

/// Anything at all, so that a verb that is not built says so instead of complaining about its options.
#[derive(Args, Debug)]
pub(crate) struct IgnoredArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<String>,
}

#[derive(Args, Debug)]
pub(crate) struct VerifyArgs {
    /// Files (- is standard input), folders, or @lists (a text with one name a line).
    #[arg(required = true, value_name = "FILE")]
    pub(crate) inputs: Vec<String>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// List the reachable final states.
    #[arg(long, help_heading = "Output")]
    pub(crate) states: bool,
    /// Show an execution that decides the answer.
    #[arg(long, help_heading = "Output")]
    pub(crate) witness: bool,
    /// One JSON object a file, one line each (the same as --format json).
    #[arg(long, conflicts_with = "format", help_heading = "Output")]
    pub(crate) json: bool,
    /// Figures about the search.
    #[arg(long, help_heading = "Output")]
    pub(crate) stats: bool,
    /// How to say it; herd: as the tool of that name does, for scripts.
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = formats(), help_heading = "Output")]
    pub(crate) format: String,
    /// Leave proofs that something does not happen in this folder, which must be new or empty (`treville check-proof`).
    #[arg(long, value_name = "DIR", help_heading = "Engine bmc")]
    pub(crate) proof: Option<String>,
    /// Go through a run step by step: a number takes that step, `b` goes back, `q` ends.
    #[arg(short, long, conflicts_with_all = ["json", "inductive"], help_heading = "Engine machine")]
    pub(crate) interactive: bool,
    /// Say whether invariants are inductive: preserved by every step from every state that satisfies them, reachable or not.
    #[arg(long, help_heading = "Engine machine")]
    pub(crate) inductive: bool,
    /// Slots of a program in .rma with a flush beside those of its text: all, none, or numbers as in 1,3.
    #[arg(long, value_name = "SLOTS", default_value = "none", help_heading = "Programs in .rma")]
    pub(crate) flush: Flushes,
    /// Print a stage of the proof instead: the program that has the behaviour of remote memory under SC (reduced), the boolean
    /// program of the proof under SC, or the one that is extrapolated from it.
    #[arg(long, value_name = "STAGE", value_parser = words::<Stage>(), help_heading = "Programs in .rma")]
    pub(crate) emit: Option<Stage>,
    /// Files that are checked at the same time (default: as many as there are processors).
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
}

/// How programs in .rma are proved.
#[derive(Args, Debug)]
pub(crate) struct RmaArgs {
    /// Only by this reduction of remote memory to SC (default: counted first).
    #[arg(long, value_name = "R", value_parser = words::<treville_verifier::Reduction>(), help_heading = "Programs in .rma")]
    reduction: Option<treville_verifier::Reduction>,
    /// How the boolean program of the reduction is made: extrapolated from that under SC, or with a solver (direct).
    #[arg(long, value_name = "A", value_parser = words::<Abstraction>(), help_heading = "Programs in .rma")]
    abstraction: Option<Abstraction>,
    /// Who answers questions about numbers: our own solver, or z3, which must be installed.
    #[arg(long, value_name = "S", default_value = "omega", value_parser = words::<IntegerSolver>(), help_heading = "Programs in .rma")]
    solver: IntegerSolver,
    /// Operations of a statement that can be on their way at the same time, where all states are looked at (default: as many as
    /// there are, up to 5).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=30), help_heading = "Programs in .rma")]
    max_pending: Option<u8>,
}

impl RmaArgs {
    fn options(&self) -> RmaOptions {
        RmaOptions {
            flushes: Flushes::None,
            reduction: self.reduction,
            abstraction: self.abstraction,
            solver: self.solver,
            max_pending: self.max_pending,
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct SynthArgs {
    /// Programs in .rma, folders, or @lists.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) inputs: Vec<String>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// By sets that every placement must meet, or as published: which flushes can go alone, then which of these together.
    #[arg(long, value_name = "HOW", default_value = "hitting-set", value_parser = words::<Search>(), help_heading = "Placement")]
    pub(crate) search: Search,
    /// Only slots of this placement: all, or numbers as in 1,3.
    #[arg(long, value_name = "SLOTS", default_value = "all", help_heading = "Placement")]
    pub(crate) initial: Flushes,
    /// What a flush costs: unit, loops (ten times as much in each loop), or SLOT=COST,… (others 1).
    #[arg(long, value_name = "COST", default_value = "unit", help_heading = "Placement")]
    pub(crate) cost: Cost,
    /// At most so many placements of the smallest cost.
    #[arg(long, value_name = "N", default_value_t = 16, help_heading = "Placement")]
    pub(crate) limit: usize,
    /// Write the program with the flushes to this file (- is standard output).
    #[arg(short, long, value_name = "F", help_heading = "Output")]
    pub(crate) output: Option<String>,
    /// Show the run that breaks without each flush.
    #[arg(long, help_heading = "Output")]
    pub(crate) witness: bool,
    /// One JSON object a file, one line each.
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
}

impl SynthArgs {
    pub(crate) fn options(&self) -> SynthOptions {
        SynthOptions {
            search: self.search,
            initial: self.initial.clone(),
            cost: self.cost.clone(),
            most: self.limit.max(1),
            annotate: self.output.is_some(),
            shortest: self.witness,
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct ModelArgs {
    /// A bundled model's name or a path to a .cat file (default: the dialect's own).
    #[arg(short, long, value_name = "M", help_heading = "Model")]
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) files: ModelFileArgs,
}

#[derive(Args, Debug)]
pub(crate) struct ModelFileArgs {
    /// A folder to look for included files in.
    #[arg(short = 'I', long, value_name = "DIR", help_heading = "Model")]
    include: Vec<String>,
    /// A variant that the model tests with `if "V"`.
    #[arg(long, value_name = "V", value_delimiter = ',', help_heading = "Model")]
    variant: Vec<String>,
    /// Leave out the check of that name.
    #[arg(long, value_name = "NAME", value_delimiter = ',', help_heading = "Model")]
    skip_check: Vec<String>,
    /// A bell file: annotations, and definitions that come before the model.
    #[arg(long, value_name = "F", help_heading = "Model")]
    bell: Option<String>,
    /// Macro definitions for C tests.
    #[arg(long, value_name = "F", help_heading = "Model")]
    macros: Vec<String>,
    /// A configuration file (.cfg) that says the same; options win.
    #[arg(long, value_name = "F", help_heading = "Model")]
    pub(crate) config: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    /// auto, enumerate, explore, bmc, machine, abstract.
    #[arg(long, value_name = "E", default_value = "auto", help_heading = "Search")]
    engine: String,
    /// The unpruned definition of the engine enumerate.
    #[arg(long, help_heading = "Search")]
    plain: bool,
    /// Run this engine as well, and fail if they differ. Without it, where the tool chooses the engine, another one is asked for
    /// a moment if that costs little; `none` asks no other.
    #[arg(long, value_name = "E", help_heading = "Search")]
    cross_check: Option<String>,
    /// Sample N executions of a program at random, and fail (exit 4) if one is not among those that were explored.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Search")]
    audit: Option<u64>,
    /// Iterations of a loop, if it is not known before how many it has.
    #[arg(long, alias = "unroll", value_name = "N", allow_negative_numbers = true, help_heading = "Search")]
    bound: Option<u32>,
    /// Events of one execution that is explored; one that has more is not followed (default: 64000, which is the most).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64_000), help_heading = "Search")]
    max_events: Option<u32>,
    /// Seconds for each file.
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true, help_heading = "Search")]
    timeout: Option<Duration>,
    /// Megabytes for each file.
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Search")]
    pub(crate) memory_limit: Option<u64>,
    /// Explore a program with so many threads.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Search")]
    threads: Option<u32>,
    /// An answer up to the bound counts as an answer.
    #[arg(long, help_heading = "Search")]
    accept_bounded: bool,
    /// What an idle iteration of a wait loop does: `assume` ends the execution as blocked, `keep` goes on.
    #[arg(long, value_name = "HOW", default_value = "assume", help_heading = "Search")]
    spin: Spin,
    /// Of executions of a program that differ only in the names of equal threads, explore one (`off`: all of them).
    #[arg(long, value_name = "ON", default_value = "on", help_heading = "Search")]
    symmetry: Switch,
    /// What may be left out because nothing new would be found: all, counted (what leaves the number of executions as it is
    /// defined), none (also means --symmetry off --spin keep), or names with commas (--help lists them).
    #[arg(long, value_name = "WHICH", default_value = "all", long_help = reductions_help(), help_heading = "Search")]
    reductions: Reductions,
    /// Of each variable, the writes that a machine keeps for threads that may still observe them (default: all, 8 of those
    /// that a loop writes).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4000), help_heading = "Engine machine")]
    max_messages: Option<u32>,
    /// Accesses in a run of a machine, initial writes included.
    #[arg(long, value_name = "N", help_heading = "Engine machine")]
    max_actions: Option<u32>,
    /// States that a machine visits (default: 50 million).
    #[arg(long, value_name = "N", help_heading = "Engine machine")]
    max_states: Option<u64>,
    /// Options for the C compiler.
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true, help_heading = "Program")]
    cflags: Option<String>,
    /// What to look for in a program: `leak` and `liveness` beside the rest, or only what is named (assertion, race,
    /// memory, …).
    #[arg(long, value_name = "P", value_delimiter = ',', value_parser = property, help_heading = "Program")]
    property: Vec<String>,
    /// A weak compare-exchange may fail for no reason.
    #[arg(long, help_heading = "Program")]
    weak_cas: bool,
    #[command(flatten)]
    solver: SolverArgs,
    #[command(flatten)]
    rma: RmaArgs,
}

/// How the engine bmc works. Answers are the same (addresses aside): these are for comparing.
#[derive(Args, Debug)]
pub(crate) struct SolverArgs {
    /// What is found out of the model's relations beforehand.
    #[arg(long, value_name = "LEVEL", default_value = "extended", value_parser = words::<bmc::Level>(), help_heading = "Engine bmc")]
    relation_analysis: bmc::Level,
    /// Encode only pairs that can make a difference.
    #[arg(long, value_name = "ON", default_value = "on", help_heading = "Engine bmc")]
    active_sets: Switch,
    /// Use what each thread must see of its own accesses, if the model says that locations are coherent.
    #[arg(long, value_name = "ON", default_value = "on", help_heading = "Engine bmc")]
    local_consistency: Switch,
    /// Which solutions of recursive definitions count: any, or the least only.
    #[arg(long, value_name = "F", default_value = "knaster-tarski", value_parser = words::<bmc::Fixpoint>(), help_heading = "Engine bmc")]
    fixpoint: bmc::Fixpoint,
    /// Orders by a theory inside the search (lazy), or by clauses (eager).
    #[arg(long, value_name = "HOW", default_value = "lazy", value_parser = words::<bmc::Encoding>(), help_heading = "Engine bmc")]
    encoding: bmc::Encoding,
    /// What is found out of computed addresses beforehand.
    #[arg(long, value_name = "HOW", default_value = "field", value_parser = words::<bmc::Alias>(), help_heading = "Engine bmc")]
    alias: bmc::Alias,
    /// Where objects lie: where they do for all engines, or anywhere, as the solver chooses.
    #[arg(long, value_name = "WHO", default_value = "shared", value_parser = words::<bmc::Addresses>(), help_heading = "Engine bmc")]
    addresses: bmc::Addresses,
}

impl SolverArgs {
    fn options(&self) -> bmc::Options {
        bmc::Options {
            level: self.relation_analysis,
            active: self.active_sets == Switch::On,
            local: self.local_consistency == Switch::On,
            encoding: self.encoding,
            fixpoint: self.fixpoint,
            alias: self.alias,
            addresses: self.addresses,
            proofs: false,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Spin {
    Assume,
    Keep,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// Files, folders, or @lists.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) inputs: Vec<String>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// The outcome to explain, as a litmus condition (default: the test's own).
    #[arg(long, value_name = "COND")]
    pub(crate) outcome: Option<String>,
    /// Explain definitions down to what the program determines.
    #[arg(long)]
    pub(crate) deep: bool,
    /// Tell every way in which the model rejects the outcome, not only the most frequent ones.
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Args, Debug)]
pub(crate) struct CompareArgs {
    /// Files, folders, or @lists.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) inputs: Vec<String>,
    /// The models, each a bundled name or a path; given twice.
    #[arg(short, long, value_name = "M", required = true, help_heading = "Model")]
    pub(crate) model: Vec<String>,
    #[command(flatten)]
    pub(crate) files: ModelFileArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// One JSON object a file.
    #[arg(long)]
    pub(crate) json: bool,
    /// Files that are compared at the same time.
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
}

#[derive(Args, Debug)]
pub(crate) struct ShowArgs {
    /// A file.
    #[arg(value_name = "FILE")]
    pub(crate) input: String,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// What to draw as; a program in .rar for other tools: event-b (Rodin, as CamilleX), b (ProB).
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ShowFormat,
    /// Where to write (default: standard output); a folder for event-b.
    #[arg(short, long, value_name = "F")]
    pub(crate) output: Option<String>,
    /// Which executions.
    #[arg(long, value_name = "WHICH", default_value = "auto")]
    pub(crate) which: Which,
    /// The outcome that `positive` means, as a litmus condition (default: the test's own).
    #[arg(long, value_name = "COND")]
    pub(crate) outcome: Option<String>,
    /// At most so many executions.
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub(crate) limit: usize,
    /// Draw these relations of the model as well.
    #[arg(long, value_name = "R", value_delimiter = ',')]
    pub(crate) relation: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ShowFormat {
    Text,
    Dot,
    Svg,
    Html,
    EventB,
    B,
}

#[derive(Args, Debug)]
pub(crate) struct CheckProofArgs {
    /// Folders with proofs, in them or below.
    #[arg(required = true, value_name = "DIR")]
    pub(crate) folders: Vec<String>,
}

#[derive(Args, Debug)]
pub(crate) struct ModelsArgs {
    #[command(subcommand)]
    pub(crate) verb: Option<ModelsVerb>,
}

#[derive(Subcommand, Debug)]
pub(crate) enum ModelsVerb {
    /// Type errors, unused definitions and vacuous axioms of a model.
    Check {
        /// A bundled model's name or a path to a .cat file.
        #[arg(value_name = "M")]
        model: String,
        #[command(flatten)]
        files: ModelFileArgs,
        /// The dialect whose tests it is for, as in a test's first line (default: all).
        #[arg(long, value_name = "D")]
        dialect: Option<String>,
    },
}

impl ModelFileArgs {
    pub(crate) fn options(&self, name: Option<&str>) -> ModelOptions {
        ModelOptions {
            safety: false,
            name: name.map(str::to_owned),
            include: self.include.clone(),
            variants: self.variant.clone(),
            skip_checks: self.skip_check.clone(),
            bell: self.bell.clone(),
            macros: self.macros.clone(),
        }
    }
}

impl RunArgs {
    /// Those that are asked for, without what `--spin keep` and `--symmetry off` switch off.
    fn reductions(&self) -> Reductions {
        let of_loops = if self.spin == Spin::Keep { Reductions::of_loops() } else { Reductions::NONE };
        let reductions = self.reductions.minus(of_loops);
        if self.symmetry == Switch::Off { reductions.without(Reduction::Symmetry) } else { reductions }
    }

    pub(crate) fn options(&self, model: ModelOptions, states: States) -> Options {
        let run = RunOptions {
            inductive: false,
            mixed_inputs: false,
            effort: None,
            engine: Some(self.engine.clone()),
            plain: self.plain,
            cross_check: self.cross_check.clone(),
            audit: self.audit,
            bound: self.bound,
            max_events: self.max_events,
            timeout: self.timeout,
            memory_mb: self.memory_limit,
            threads: self.threads,
            accept_bounded: self.accept_bounded,
            states,
            reductions: self.reductions(),
            properties: Properties::of(&self.property).unwrap_or_default(),
            weak_cas: self.weak_cas,
            max_messages: self.max_messages,
            max_actions: self.max_actions,
            max_states: self.max_states,
            bmc: self.solver.options(),
            rma: self.rma.options(),
            cflags: self.cflags.iter().flat_map(|flags| flags.split_whitespace()).map(str::to_owned).collect(),
        };
        Options { model, run }
    }
}

impl ModelArgs {
    pub(crate) fn options(&self) -> ModelOptions {
        self.files.options(self.model.as_deref())
    }
}

/// What `--help` says of reductions, each with its name.
fn reductions_help() -> String {
    let rows = Reduction::all().map(|r| format!("\n  {:<18} {}", r.name(), r.about()));
    let which = "What may be left out because nothing new would be found: all, counted (what leaves the number of executions \
                 as it is defined), none (also means --symmetry off --spin keep), or names with commas:";
    std::iter::once(which.to_owned()).chain(rows).collect()
}

/// The formats of reports.
fn formats() -> PossibleValuesParser {
    let value = |format: &Format| PossibleValue::new(format.name).help(format.about);
    PossibleValuesParser::new(FORMATS.iter().map(value))
}

/// The words of an enumeration of the library. What its documentation says of each, the help of an option says of all.
#[derive(Clone)]
struct Words<T: ValueEnum + Send + Sync + 'static>(EnumValueParser<T>);

fn words<T: ValueEnum + Send + Sync + 'static>() -> Words<T> {
    Words(EnumValueParser::new())
}

impl<T: ValueEnum + Send + Sync + 'static> TypedValueParser for Words<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, option: Option<&Arg>, word: &OsStr) -> Result<T, clap::Error> {
        self.0.parse_ref(command, option, word)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values = T::value_variants().iter().filter_map(T::to_possible_value);
        Some(Box::new(values.map(|value| value.help(None::<&'static str>))))
    }
}

/// The name of a property.
fn property(name: &str) -> Result<String, String> {
    Properties::of(&[name]).map(|_| name.to_owned())
}

/// A positive number of seconds, fractions allowed.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    if seconds > 0.0 {
        Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())
    } else {
        Err("not positive".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definitions_are_consistent() {
        Cli::command().debug_assert();
    }
}
