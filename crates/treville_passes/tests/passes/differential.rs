//! Random programs do the same before and after the passes.

use crate::interpreter::{CUT, Run, run};
use crate::random;
use treville_base::{Cancel, FileId};
use treville_ir::{Block, BlockId, Op, Program, Storage, Terminator, ThreadId, text};
use treville_passes::lower_to_test::SyncTags;
use treville_passes::{Options, Unrolling, loop_free, static_threads, with_known_addresses};
use treville_testkit::Rng;

const N_PROGRAMS: u64 = 4000;
const FUEL: u64 = 3000;

fn n_ops(program: &Program, pick: impl Fn(&Op) -> bool) -> usize {
    let insts = program.funcs.iter().flat_map(|f| f.blocks.iter()).flat_map(|b| &b.insts);
    insts.filter(|i| pick(&i.op)).count()
}

#[test]
fn random_programs_keep_their_behaviour() {
    let (mut complete, mut failing, mut too_long) = (0, 0, 0);
    let mut stack = (0, 0);
    for seed in 0..N_PROGRAMS {
        let mut rng = Rng::new(seed);
        let (text, observed) = random::program(&mut rng);
        let program = text::parse(FileId(0), &text).unwrap_or_else(|e| panic!("{seed}: {e:?}\n{text}"));
        let before: Run = run(&program, &observed, FUEL);
        let algebraic = rng.percent(50);
        let renumber = rng.percent(50);
        let options = Options { algebraic, observed: observed.clone(), renumber, ..Options::default() };
        let passed = treville_passes::run(&program, &options);
        let printed = text::print(&passed);
        let again = text::parse(FileId(0), &printed).unwrap_or_else(|e| panic!("{seed}: {e:?}\n{printed}"));
        assert_eq!(text::print(&again), printed);
        let is_stack = |op: &Op| matches!(op, Op::Alloc { storage: Storage::Stack, .. });
        stack = (stack.0 + n_ops(&program, is_stack), stack.1 + n_ops(&passed, is_stack));
        match before.stopped.as_deref() {
            // How many steps it takes may change.
            Some("too long") => too_long += 1,
            stopped => {
                let after = run(&passed, &observed, FUEL);
                assert_eq!(after, before, "seed {seed}\n{text}\nbecomes\n{printed}");
                *(if stopped.is_none() { &mut complete } else { &mut failing }) += 1;
            }
        }
    }
    // The programs must be interesting: most run to their end, some are wrong, most variables are promoted.
    assert!(complete > N_PROGRAMS * 6 / 10, "{complete} {failing} {too_long}");
    assert!(failing > N_PROGRAMS / 20, "{complete} {failing} {too_long}");
    assert!(too_long < N_PROGRAMS / 20, "{complete} {failing} {too_long}");
    assert!(stack.1 * 2 < stack.0, "{stack:?}");
}

#[test]
fn random_programs_do_the_same_without_calls_and_loops() {
    let (mut same, mut cut, mut refused) = (0, 0, 0);
    for seed in 0..N_PROGRAMS {
        let mut rng = Rng::new(seed);
        let (text, _) = random::program(&mut rng);
        let program = text::parse(FileId(0), &text).unwrap_or_else(|e| panic!("{seed}: {e:?}\n{text}"));
        let options = Options { algebraic: rng.percent(50), ..Options::default() };
        let passed = treville_passes::run(&program, &options);
        let bound = if rng.percent(50) { 1 } else { 12 };
        let Ok(finite) = loop_free(&passed, Unrolling { bound, idle: false, latest: None }, &options) else {
            refused += 1;
            continue;
        };
        let main = &finite.funcs[finite.roots[ThreadId(0)].func];
        let forward = |(id, block): (BlockId, &Block)| match block.end {
            Terminator::Goto(to) => to > id,
            Terminator::Branch { then, els, .. } => then > id && els > id,
            Terminator::End | Terminator::Exit(_) | Terminator::Return(_) | Terminator::ExitProcess => true,
        };
        let printed = text::print(&finite);
        assert!(main.blocks.iter_enumerated().all(forward), "seed {seed} has a loop\n{printed}");
        assert_eq!(n_ops(&finite, |op| matches!(op, Op::Call { .. })), 0, "seed {seed} has a call\n{printed}");
        let (before, after) = (run(&passed, &[], FUEL), run(&finite, &[], FUEL));
        if after.stopped.as_deref() == Some(CUT) {
            // What it did until then is the same.
            assert!(before.trace.starts_with(&after.trace), "seed {seed}\n{text}\nbecomes\n{printed}");
            cut += 1;
        } else {
            assert_eq!(after, before, "seed {seed}\n{text}\nbecomes\n{printed}");
            same += 1;
        }
    }
    assert!(same > N_PROGRAMS / 2, "{same} {cut} {refused}");
    // Most loops of these programs count, and run to their end.
    assert!(cut > N_PROGRAMS / 400, "{same} {cut} {refused}");
    assert!(refused < N_PROGRAMS / 10, "{same} {cut} {refused}");
}

#[test]
fn random_programs_do_the_same_with_known_addresses_and_variables() {
    let (mut known, mut split, mut refused) = (0, 0, 0);
    for seed in 0..N_PROGRAMS {
        let mut rng = Rng::new(seed);
        let (text, observed) = random::program(&mut rng);
        let program = text::parse(FileId(0), &text).unwrap_or_else(|e| panic!("{seed}: {e:?}\n{text}"));
        let before = run(&program, &observed, FUEL);
        if before.stopped.as_deref() == Some("too long") {
            continue;
        }
        let passed = with_known_addresses(&program, &Cancel::new());
        assert_eq!(run(&passed, &observed, FUEL), before, "seed {seed}\n{text}\nbecomes\n{}", text::print(&passed));
        known += 1;
        let simpler = treville_passes::run(&program, &Options { algebraic: true, ..Options::default() });
        match static_threads(&simpler, &SyncTags::of_c(), &Cancel::new()) {
            Ok(static_threads) => {
                let (before, after) = (run(&simpler, &[], FUEL), run(&static_threads, &[], FUEL));
                assert_eq!(after.trace, before.trace, "seed {seed}\n{text}\nbecomes\n{}", text::print(&static_threads));
                split += 1;
            }
            Err(_) => refused += 1,
        }
    }
    assert!(known > N_PROGRAMS * 9 / 10 && split > N_PROGRAMS / 20, "{known} {split} {refused}");
}
