//! What a thread does, event by event: dependencies are carried and not computed, control dependencies end where branches
//! join, conditions that are not known are asked for, loops end at the bound, and runs that meet are put together.

use treville_base::FileId;
use treville_event::{Kind, LockShape, RmwShape};
use treville_ir::{Program, Reg, StatusDependency, ThreadId};
use treville_term::{Bv, TermId, VarId};
use treville_vm::{Action, Concrete, Deps, Domain, EventAction, Joiner, Link, Shape, Symbolic, ThreadVm};

fn program(blocks: &str) -> Program {
    let text = format!(
        "program \"thread\"\ndialect X86 tso sets [X]\ntags [X]\nobject x at 4096\nobject y at 8192\n\
         func P0 () regs [r:32 s:32 a:64] {{\n{blocks}\n}}\nthread P0 P0 []\n"
    );
    treville_ir::text::parse(FileId(0), &text).unwrap_or_else(|e| panic!("{text}: {e:?}"))
}

fn shape(control: bool) -> Shape {
    Shape {
        rmw: RmwShape::Pair,
        locks: LockShape::Opaque,
        fused_locks: false,
        registers: false,
        branches: false,
        predicates: false,
        control,
        status: StatusDependency::Nothing,
        conditional_data: false,
        loose_compare: false,
        unroll: 2,
        arrivals: false,
    }
}

fn start<D: Domain<V: Clone>>(program: &Program, shape: Shape, d: &mut D) -> ThreadVm<D::V> {
    ThreadVm::new(program, ThreadId(0), shape, d)
}

/// All events of a run on plain values, whose reads return these in turn, and whether a loop was cut.
fn run(program: &Program, shape: Shape, reads: &[u128]) -> (Vec<EventAction<Bv>>, bool) {
    let mut d = Concrete;
    let mut vm = start(program, shape, &mut d);
    let mut reads = reads.iter();
    let mut events = Vec::new();
    loop {
        match vm.run(program, &mut d) {
            Action::Event(event) => {
                if event.kind == Kind::Read {
                    let value = *reads.next().expect("a value for each read");
                    vm.give(program, &mut d, Bv::new(value, 32));
                }
                events.push(*event);
            }
            Action::End => return (events, false),
            Action::Cut => return (events, true),
            other => panic!("{other:?}"),
        }
    }
}

fn list(deps: &Deps) -> Vec<u32> {
    deps.iter().collect()
}

#[test]
fn a_value_that_is_known_depends_on_what_it_was_computed_from() {
    let program = program("b0:\n  r = load &x 4 []\n  store &y (xor r r) 4 []\n  end");
    for read in [0, 1, 7] {
        let (events, _) = run(&program, shape(true), &[read]);
        let [load, store] = &events[..] else { panic!("{events:?}") };
        assert_eq!((load.kind, store.kind), (Kind::Read, Kind::Write));
        assert_eq!(store.value, Some(Bv::new(0, 32)));
        assert_eq!((list(&store.data), list(&store.addr), list(&store.ctrl)), (vec![0], vec![], vec![]));
    }
}

#[test]
fn addresses_and_values_depend_on_different_reads() {
    let program = program(
        "b0:\n  r = load &x 4 []\n  s = load &x 4 []\n  a = (add (zext 64 r) &y)\n  store a (add s 1:32) 4 []\n  end",
    );
    let (events, _) = run(&program, shape(true), &[4, 5]);
    let store = &events[2];
    assert_eq!(store.place, Some((Bv::new(8196, 64), 4)));
    assert_eq!((list(&store.addr), list(&store.data)), (vec![0], vec![1]));
    assert_eq!(store.value, Some(Bv::new(6, 32)));
}

/// The branch on what was read is taken or not: a store in it depends on the read, one behind the join does not, and without a
/// join everything does.
#[test]
fn control_dependencies_end_at_joins() {
    let blocks = |join: &str| {
        format!(
            "b0:\n  r = load &x 4 []\n  branch (eq r 1:32) b1 b2{join}\n\
             b1:\n  store &y 1:32 4 []\n  goto b2\nb2:\n  store &y 2:32 4 []\n  end"
        )
    };
    let ctrl = |join, read| {
        let (events, _) = run(&program(&blocks(join)), shape(true), &[read]);
        events[1..].iter().map(|event| list(&event.ctrl)).collect::<Vec<_>>()
    };
    assert_eq!(ctrl(" join b2", 1), [vec![0], vec![]]);
    assert_eq!(ctrl(" join b2", 0), [vec![]]);
    assert_eq!(ctrl("", 1), [vec![0], vec![0]]);
    assert_eq!(ctrl("", 0), [vec![0]]);
}

#[test]
fn an_update_is_a_read_and_a_write_or_one_event() {
    let program = program("b0:\n  r = update &x 4 (add r 1:32) [] [] [X] []\n  end");
    let (pair, _) = run(&program, shape(true), &[3]);
    let [read, write] = &pair[..] else { panic!("{pair:?}") };
    assert_eq!((read.kind, write.kind, write.link), (Kind::Read, Kind::Write, Link::Amo(0)));
    assert_eq!((write.value, list(&write.data)), (Some(Bv::new(4, 32)), vec![0]));

    let fused = Shape { rmw: RmwShape::Fused, ..shape(true) };
    let mut d = Concrete;
    let mut vm = start(&program, fused, &mut d);
    let Action::Event(event) = vm.run(&program, &mut d) else { panic!("no event") };
    assert_eq!(event.kind, Kind::Read);
    vm.give(&program, &mut d, Bv::new(3, 32));
    let next = vm.run(&program, &mut d);
    let Action::Amend { index, written, .. } = next else { panic!("{next:?}") };
    assert_eq!((index, written.map(|(value, _)| value)), (0, Some(Bv::new(4, 32))));
}

#[test]
fn loops_are_cut_at_the_bound() {
    let program = program("b0:\n  goto b1\nb1:\n  r = load &x 4 []\n  branch (eq r 0:32) b1 b2 join b2\nb2:\n  end");
    // Once, and again as often as the bound says.
    for unroll in 0..4 {
        let shape = Shape { unroll, ..shape(false) };
        let (events, cut) = run(&program, shape, &[0; 5]);
        assert!(cut);
        assert_eq!(events.len() as u32, unroll + 1);
        let (events, cut) = run(&program, shape, &[1]);
        assert!(!cut && events.len() == 1);
    }
}

/// A read whose value is a variable, up to the branch on it.
fn up_to_branch(program: &Program, d: &mut Symbolic, shape: Shape) -> ThreadVm<TermId> {
    let mut vm = start(program, shape, d);
    assert!(matches!(vm.run(program, d), Action::Event(_)));
    let value = d.store.var(VarId(0), 32);
    vm.give(program, d, value);
    vm
}

const DIAMOND: &str = "b0:\n  r = load &x 4 []\n  branch (eq r 1:32) b1 b2 join b3\n\
    b1:\n  s = 1:32\n  goto b3\nb2:\n  s = (add r 5:32)\n  goto b3\nb3:\n  store &y s 4 []\n  end";

#[test]
fn what_values_do_not_decide_is_asked_for() {
    let program = program(DIAMOND);
    let mut d = Symbolic::default();
    let vm = up_to_branch(&program, &mut d, shape(true));
    for yes in [true, false] {
        let mut vm = vm.clone();
        let Action::Branch(asked) = vm.run(&program, &mut d) else { panic!("nothing is asked") };
        assert_eq!(d.decide(&asked), None);
        vm.take(&program, &mut d, yes);
        let Action::Event(store) = vm.run(&program, &mut d) else { panic!("no store") };
        let value = store.value.expect("a store has a value");
        assert_eq!(d.store.as_const(value), yes.then_some(Bv::new(1, 32)));
        // Behind the join nothing depends on the branch but what was chosen there.
        assert_eq!((list(&store.ctrl), list(&store.data)), (vec![], if yes { vec![] } else { vec![0] }));
        assert!(matches!(vm.run(&program, &mut d), Action::End));
    }
}

/// Puts values and dependencies of two runs together by a choice that stands for which was taken.
struct Either<'d>(&'d mut Symbolic);

impl Joiner<TermId> for Either<'_> {
    fn value(&mut self, first: &TermId, second: &TermId) -> TermId {
        let taken = self.0.store.var(VarId(1), 1);
        self.0.store.ite(taken, *first, *second)
    }

    fn deps(&mut self, first: &Deps, second: &Deps) -> Deps {
        first.with(second)
    }
}

#[test]
fn runs_that_meet_are_put_together() {
    let program = program(DIAMOND);
    let mut d = Symbolic::default();
    let arriving = Shape { arrivals: true, ..shape(true) };
    let at_the_branch = up_to_branch(&program, &mut d, arriving);
    let mut runs = [true, false].map(|yes| {
        let mut vm = at_the_branch.clone();
        assert!(matches!(vm.run(&program, &mut d), Action::Branch(_)));
        vm.take(&program, &mut d, yes);
        while !matches!(vm.run(&program, &mut d), Action::Arrive(block) if block.0 == 3) {}
        vm
    });
    let [first, second] = &mut runs;
    assert!(first.can_join(second, &program));
    let before = *first.register(Reg(0));
    first.join(second, &mut Either(&mut d));
    assert_eq!(*first.register(Reg(0)), before, "what both have alike stays");
    let Action::Event(store) = first.run(&program, &mut d) else { panic!("no store") };
    let value = store.value.expect("a store has a value");
    assert_eq!((list(&store.data), d.store.as_const(value)), (vec![0], None));
    assert!(matches!(first.run(&program, &mut d), Action::End));
    // A run that is somewhere else does not join.
    assert!(!second.can_join(first, &program));
}
