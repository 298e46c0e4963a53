//! The smallest placements of flushes: lower bounds by runs that fail, upper bounds by proofs.

#[path = "../../treville_rma_machine/tests/common/mod.rs"]
mod common;

use common::case_study;
use std::sync::Mutex;
use treville_abstract::{Checked, Elements, Options, Prover, Sequential, Sharing, sequential};
use treville_base::{BitSet, Cancel};
use treville_rma::Program;
use treville_rma_machine::{Config, Order, Pending, Reduction, Semantics, Verdict, check};
use treville_synth::{Judge, Proof, Refutation, synthesise};

struct Rma<'p> {
    program: &'p Program,
    provers: Mutex<Vec<Option<Box<Prover<'p>>>>>,
}

fn portfolio() -> Vec<Options> {
    let base = Options { max_states: 60_000, max_rounds: 12, ..Options::new() };
    let printed = Options {
        reduction: Reduction::Table2,
        sharing: Sharing::Variable,
        elements: Elements::Apart(2),
        ..base.clone()
    };
    vec![
        Options { given: false, ..base.clone() },
        base.clone(),
        Options { given: false, max_states: 400_000, ..printed },
        Options { given: false, elements: Elements::Together, max_states: 200_000, ..base.clone() },
        Options { given: true, max_states: 200_000, ..base },
    ]
}

impl<'p> Rma<'p> {
    fn new(program: &'p Program) -> Self {
        Rma { program, provers: Mutex::new(portfolio().iter().map(|_| None).collect()) }
    }
}

impl Judge for Rma<'_> {
    fn n_sites(&self) -> usize {
        self.program.slots.len()
    }

    fn cost(&self, _: usize) -> u64 {
        1
    }

    fn refute(&self, placement: &BitSet, _: treville_synth::Effort) -> Refutation {
        for pending in [1, 2] {
            let config = Config {
                order: Order::Depth,
                max_states: 400_000,
                ..Config::new(Semantics::Remote(Pending::Bounded(pending)), placement.clone())
            };
            let outcome = check(self.program, &config);
            match outcome.verdict {
                Verdict::Fails(_, trace) => return Refutation::Fails { blocking: trace.blocking },
                Verdict::Safe if !outcome.capped => return Refutation::Nothing,
                Verdict::Safe => {}
                Verdict::Open(_) => return Refutation::Nothing,
            }
        }
        Refutation::Nothing
    }

    fn prove(&self, placement: &BitSet, _: treville_synth::Effort) -> Proof {
        let Ok(mut provers) = self.provers.lock() else { return Proof::Open(String::new()) };
        let mut why = String::new();
        for (options, prover) in portfolio().iter().zip(provers.iter_mut()) {
            if prover.is_none()
                && let Sequential::Proved(made) = sequential(self.program, options)
            {
                *prover = Some(made);
            }
            let Some(prover) = prover else { continue };
            match prover.check(placement, options.max_states) {
                Checked::Holds => return Proof::Holds,
                Checked::MayFail(_) => why = "may fail".to_owned(),
                Checked::Open(open) => why = open,
            }
        }
        Proof::Open(why)
    }
}

#[test]
fn smallest_placements_are_found() {
    let table: [(&str, &[&[usize]]); 12] = [
        ("fig2", &[&[1]]),
        ("abp", &[&[1], &[2]]),
        ("pgsql", &[&[1, 3]]),
        ("queue", &[&[2]]),
        ("loop2_tlm", &[&[1, 2, 3, 4]]),
        ("qw", &[&[1, 2, 4]]),
        ("pc1", &[&[1, 2, 4, 5, 7], &[1, 2, 5, 6, 7]]),
        ("peterson", &[&[1, 2, 3, 4, 5]]),
        ("kessel", &[&[1, 2, 3, 5, 6, 7, 8, 10]]),
        ("bakery", &[&[1, 2, 4, 5, 6, 7, 9, 10]]),
        ("sober", &[&[]]),
        ("dekker", &[&[1, 5, 7, 11]]),
    ];
    for (name, expected) in table {
        let program = case_study(name);
        let initial = BitSet::full(program.slots.len());
        let options = treville_synth::Options { initial, most: 16, threads: 2, cancel: Cancel::new() };
        let found = synthesise(&Rma::new(&program), &options);
        assert!(found.proved, "{name}: {found:?}");
        let placed = |p: &treville_synth::Placement| p.sites.iter().map(|s| s + 1).collect::<Vec<_>>();
        assert_eq!(found.placements.iter().map(placed).collect::<Vec<_>>(), expected, "{name}");
    }
}
