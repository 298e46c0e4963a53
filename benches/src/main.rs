//! `treville_bench`: measures treville, and a peer beside it in the same run if it is given, on growing families of tests, on
//! given files, on programs in C, and from start to exit. Costs are CPU time, so that a busy machine does not change them much.

// This program's output is its tables.
#![allow(clippy::print_stdout)]

mod ck;
mod families;
mod figures;
mod files;
mod growth;
mod machines;
mod nondet;
mod plot;
mod process;
mod programs;
mod rma;
mod start;
mod table;
mod tools;

use clap::{Parser, Subcommand};
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use tools::Tool;

/// Measure treville, and herd7 beside it.
#[derive(Parser, Debug)]
struct Cli {
    /// The treville to measure.
    #[arg(long, global = true, value_name = "PROGRAM", default_value = "target/release/treville")]
    bin: PathBuf,
    /// A herd7 to measure beside it.
    #[arg(long, global = true, value_name = "PROGRAM")]
    peer: Option<PathBuf>,
    /// The folder with the linux-kernel.cat, .bell and .def that the peer runs (herdtools7: catalogue/linux/cats).
    #[arg(long, global = true, value_name = "DIR")]
    peer_linux: Option<PathBuf>,
    /// Ask treville for the answer alone, not for all final states (which the peer always lists).
    #[arg(long, global = true)]
    answer_only: bool,
    /// Seconds of CPU for one test.
    #[arg(long, global = true, value_name = "S", default_value_t = 10)]
    limit: u64,
    /// Where the generated tests are written.
    #[arg(long, global = true, value_name = "DIR", default_value = "target/bench")]
    out: PathBuf,
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// The growth families: each size, and the largest that each tool manages within the limit.
    Growth {
        /// Families by name; all if none is named.
        families: Vec<String>,
    },
    /// Files, folders and @lists: total CPU, our slowest files, and every file where the peer is faster.
    Files {
        #[arg(required = true, value_name = "FILE")]
        inputs: Vec<String>,
        /// Take only every N-th row.
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
        step: u32,
        /// How many of our slowest files to list.
        #[arg(long, value_name = "N", default_value_t = 20)]
        slowest: usize,
        /// Only one process for all files of a model, not one for each file.
        #[arg(long)]
        together: bool,
    },
    /// Programs in C: executions a second, beside a GenMC if it is given.
    Programs {
        /// Programs whose name contains one of these; all if there is none.
        words: Vec<String>,
        /// A GenMC to measure beside treville.
        #[arg(long, value_name = "PROGRAM")]
        genmc: Option<PathBuf>,
        /// Threads for treville.
        #[arg(long, value_name = "N", default_value_t = 1)]
        threads: u32,
        /// The folder that has `benches` and `case-studies`.
        #[arg(long, value_name = "DIR", default_value = ".")]
        root: PathBuf,
    },
    /// Locks on machines: states a second, and bytes a state.
    Machines {
        /// Programs whose name contains one of these; all if there is none.
        words: Vec<String>,
        /// Threads for treville.
        #[arg(long, value_name = "N", default_value_t = 1)]
        threads: u32,
    },
    /// The experiments of the engine bmc: tables (CSV) and plots (SVG) in the folder of `--out`.
    Figures {
        #[arg(required = true)]
        experiments: Vec<figures::Experiment>,
        /// The folder of Linux tests, with `expected.jsonl`.
        #[arg(long, value_name = "DIR")]
        tests: Option<PathBuf>,
        /// Take only every N-th Linux test.
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
        step: u32,
        /// The folder that has `case-studies`.
        #[arg(long, value_name = "DIR", default_value = ".")]
        root: PathBuf,
    },
    /// The case studies on remote memory beside the figures of the paper: the smallest placements of flushes, and the proofs.
    Rma {
        /// The folder that has `case-studies` and `docs`.
        #[arg(long, value_name = "DIR", default_value = ".")]
        root: PathBuf,
        /// Where the table is written, in that folder.
        #[arg(long, value_name = "FILE", default_value = "docs/rma-figures.md")]
        table: PathBuf,
    },
    /// The case study of Concurrency Kit, with its source: as shipped, with the fixes of the study, and beside a GenMC if it is given.
    Ck {
        /// The source of Concurrency Kit 0.7.1 (`apt-get source ck`).
        #[arg(long, value_name = "DIR")]
        source: PathBuf,
        /// A GenMC to measure beside treville.
        #[arg(long, value_name = "PROGRAM")]
        genmc: Option<PathBuf>,
        /// The folder that has `case-studies` and `docs`.
        #[arg(long, value_name = "DIR", default_value = ".")]
        root: PathBuf,
        /// Where the table is written, in that folder.
        #[arg(long, value_name = "FILE", default_value = "docs/ck-figures.md")]
        table: PathBuf,
        /// Only check the numbers of executions that must be those of the thesis; the library's headers are enough.
        #[arg(long)]
        check: bool,
    },
    /// Unknown values beside the figures of the thesis: tables, and plots in `docs/figures`.
    Nondet {
        /// The folder that has `case-studies`, `crates` and `docs`.
        #[arg(long, value_name = "DIR", default_value = ".")]
        root: PathBuf,
        /// Where the tables are written, in that folder.
        #[arg(long, value_name = "FILE", default_value = "docs/nondet-figures.md")]
        table: PathBuf,
    },
    /// Run a command, and write how much memory it had at most.
    #[command(hide = true)]
    Peak {
        file: PathBuf,
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<String>,
    },
    /// From start to exit, for one small test of each dialect.
    Start {
        /// How often each is run.
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
        times: u32,
    },
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    if let What::Peak { file, command } = &cli.what {
        let status = nondet::peak(file, command).unwrap_or(3);
        return ExitCode::from(u8::try_from(status).unwrap_or(3));
    }
    match measure(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("treville_bench: {error}");
            ExitCode::from(2)
        }
    }
}

fn measure(cli: &Cli) -> io::Result<()> {
    fs::create_dir_all(&cli.out)?;
    let mut tools = vec![Tool::Treville { program: cli.bin.clone(), states: !cli.answer_only }];
    let linux = cli.peer_linux.clone();
    tools.extend(cli.peer.clone().map(|program| Tool::Herd { program, linux }));
    match &cli.what {
        What::Growth { families } => growth::growth(&tools, families, cli.limit, &cli.out),
        What::Files { inputs, step, slowest, together } => {
            let step = usize::try_from(*step).unwrap_or(1);
            let options = files::Options { limit: cli.limit, step, slowest: *slowest, single: !together };
            files::files(&tools, inputs, options, &cli.out)
        }
        What::Programs { words, genmc, threads, root } => {
            let (bin, peer, limit, threads) = (cli.bin.as_path(), genmc.as_deref(), cli.limit, *threads);
            programs::programs(&programs::Options { bin, peer, root, limit, threads }, words)
        }
        What::Machines { words, threads } => {
            let (bin, limit, threads, out) = (cli.bin.as_path(), cli.limit, *threads, cli.out.as_path());
            machines::machines(&machines::Options { bin, limit, threads, out }, words)
        }
        What::Figures { experiments, tests, step, root } => {
            let (bin, tests, limit) = (cli.bin.as_path(), tests.as_deref(), cli.limit);
            let step = usize::try_from(*step).unwrap_or(1);
            let options = figures::Options { bin, root, tests, step, limit, out: &cli.out };
            experiments.iter().try_for_each(|e| figures::figures(&options, *e))
        }
        What::Rma { root, table } => rma::rma(&cli.bin, root, &root.join(table), cli.limit),
        What::Ck { source, genmc, root, table, check } => {
            let (bin, peer, limit, out) = (cli.bin.as_path(), genmc.as_deref(), cli.limit, cli.out.as_path());
            let options = ck::Options { bin, peer, root, source, limit, out };
            if *check { ck::check(&options) } else { ck::ck(&options, &root.join(table)) }
        }
        What::Nondet { root, table } => {
            let (bin, limit, out) = (cli.bin.as_path(), cli.limit, cli.out.as_path());
            nondet::nondet(&nondet::Options { bin, root, limit, out }, &root.join(table))
        }
        // It is no measurement of its own.
        What::Peak { .. } => Ok(()),
        What::Start { times } => start::start(&tools, *times, &cli.out),
    }
}
