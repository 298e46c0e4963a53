//! Proofs of the case studies, with the smallest placements of flushes; and random programs, where what is proved holds.

use crate::common::{Random, case_study, read, slots};
use treville_abstract::{Abstraction, Checked, Elements, Options, Sequential, Sharing, Solver, sequential};
use treville_base::{BitSet, Cancel};
use treville_rma::Program;
use treville_rma_machine::{Config, Pending, Reduction, Semantics, Verdict, check};

fn counted(given: bool) -> Options {
    Options { given, ..Options::new() }
}

/// As in the paper: the printed reduction, where few kinds of elements are told apart.
fn printed() -> Options {
    Options {
        given: false,
        reduction: Reduction::Table2,
        sharing: Sharing::Variable,
        elements: Elements::Apart(2),
        ..Options::new()
    }
}

fn proved(program: &Program, options: &Options, placement: &BitSet) -> Checked {
    match sequential(program, options) {
        Sequential::Proved(mut prover) => prover.check(placement, options.max_states),
        Sequential::Fails(path) => Checked::MayFail(path),
        Sequential::Open(why) => Checked::Open(why),
    }
}

/// For all integers and any number of pending operations; without predicates from the program unless `given`.
#[test]
fn smallest_placements_are_proved() {
    let together = Options { elements: Elements::Together, ..counted(false) };
    let table: &[(&str, &[usize], Options)] = &[
        ("fig2", &[1], counted(false)),
        ("dekker", &[1, 5, 7, 11], printed()),
        ("peterson", &[1, 2, 3, 4, 5], counted(false)),
        ("abp", &[1], counted(false)),
        ("abp", &[2], counted(false)),
        ("pc1", &[1, 2, 4, 5, 7], counted(false)),
        ("pgsql", &[1, 3], counted(false)),
        ("qw", &[1, 2, 4], counted(false)),
        ("sober", &[], printed()),
        ("kessel", &[1, 2, 3, 5, 6, 7, 8, 10], counted(false)),
        ("loop2_tlm", &[1, 2, 3, 4], counted(false)),
        ("szymanski", &[1, 2, 6, 7, 8, 9, 10, 12], counted(false)),
        ("queue", &[2], counted(false)),
        ("ticket", &[1, 2], counted(true)),
        ("bakery", &[1, 2, 4, 5, 6, 7, 9, 10], counted(true)),
        ("rmalock", &[3, 5, 7, 11, 12, 14, 16], together),
    ];
    for (name, flushes, options) in table {
        let program = case_study(name);
        let answer = proved(&program, options, &slots(&program, flushes));
        assert_eq!(answer, Checked::Holds, "{name} with {flushes:?}");
    }
}

#[test]
fn what_fails_is_not_proved() {
    for name in ["fig2", "peterson", "abp", "pc1", "pgsql", "qw", "queue", "loop2_tlm"] {
        let program = case_study(name);
        let answer = proved(&program, &counted(false), &BitSet::new(program.slots.len()));
        assert!(matches!(answer, Checked::MayFail(_)), "{name}: {answer:?}");
    }
}

#[test]
fn what_is_proved_holds() {
    let (mut holds, mut fails, mut replayed) = (0, 0, 0);
    for seed in 0..2000 {
        let mut random = Random::new(seed);
        let text = random.program();
        let program = read(&text);
        let placement = random.placement(&program);
        let config =
            Config { max_states: 700, ..Config::new(Semantics::Remote(Pending::Bounded(2)), placement.clone()) };
        let exact = check(&program, &config);
        let fail = matches!(exact.verdict, Verdict::Fails(..));
        let options = match seed % 5 {
            0 => counted(false),
            1 => printed(),
            2 => Options { elements: Elements::Together, ..counted(false) },
            3 => Options { abstraction: Abstraction::Direct, ..counted(false) },
            _ => Options { abstraction: Abstraction::Direct, elements: Elements::Together, ..printed() },
        };
        let options = Options { max_states: 2_000, max_rounds: 6, ..options };
        let answer = proved(&program, &options, &placement);
        assert!(!(fail && answer == Checked::Holds), "seed {seed}: {placement:?}\n{text}");
        // What the reduction does, the abstraction of it does too; bounded sets and domains leave some out.
        let reduced = check(&program, &Config { semantics: Semantics::Reduced(options.reduction), ..config });
        let reduced = matches!(reduced.verdict, Verdict::Fails(..));
        assert!(!(reduced && answer == Checked::Holds), "seed {seed}: {placement:?}\n{text}");
        if let Checked::MayFail(path) = &answer
            && let Some((failure, _)) = path.replayed(&program, &placement, &Solver::Omega, &Cancel::new())
        {
            // A run that is done again is real: the machine fails as well, unless it was stopped.
            let stopped = matches!(exact.verdict, Verdict::Open(_)) || exact.capped || exact.pruned;
            assert!(fail || stopped, "seed {seed}: {failure:?} with {placement:?}\n{text}");
            replayed += 1;
        }
        holds += usize::from(answer == Checked::Holds);
        fails += usize::from(fail);
    }
    assert!(holds > 300 && fails > 200 && replayed > 150, "{holds} {fails} {replayed}");
}

/// The same placements by the abstraction that asks a solver for every statement of the reduction.
#[test]
fn a_direct_abstraction_proves_them_too() {
    let table: &[(&str, &[usize])] = &[
        ("fig2", &[1]),
        ("peterson", &[1, 2, 3, 4, 5]),
        ("abp", &[1]),
        ("pc1", &[1, 2, 4, 5, 7]),
        ("pgsql", &[1, 3]),
        ("qw", &[1, 2, 4]),
        ("kessel", &[1, 2, 3, 5, 6, 7, 8, 10]),
        ("loop2_tlm", &[1, 2, 3, 4]),
        ("queue", &[2]),
    ];
    for (name, flushes) in table {
        let program = case_study(name);
        let options = Options { abstraction: Abstraction::Direct, ..counted(false) };
        let answer = proved(&program, &options, &slots(&program, flushes));
        assert_eq!(answer, Checked::Holds, "{name} with {flushes:?}");
    }
}
