//! The worked example and the small examples of the paper, predicate by predicate.

use super::*;
use crate::boolean::{Sharing, abstracted};
use crate::lia::Omega;
use treville_base::FileId;

const FIG2: &str = "process 1: shared Y = 1; process 2: shared R = 0, X = 2; local r; put(Y, 1, X); store X = 3; \
    R = get(Y, 1); load r = R; assert final (r != 3); predicates r != 3, R != 3, Y != 3, X != 3;";

fn read(text: &str) -> Program {
    match treville_lang::rma::parse(FileId(0), "test", text) {
        Ok((program, _)) => program,
        Err(errors) => panic!("{text}: {errors:?}"),
    }
}

/// The program of the reduction as it is checked without flushes.
fn checked(b: &BoolProgram<'_>) -> Vec<String> {
    let placement = BitSet::new(b.program.slots.len());
    let how = crate::show::How { placement: &placement, reduction: Reduction::Counted, elements: Elements::Together };
    b.shown(how).lines().map(|line| line.trim().to_owned()).collect()
}

fn extrapolated(program: &Program) -> BoolProgram<'_> {
    let sequential = abstracted(program, &program.predicates, &Omega, 2, &Cancel::new()).expect("few predicates");
    sequential.extrapolated(Sharing::Statement).expect("few sets")
}

/// The published reduction, where what is known is true of all elements.
fn published(program: &Program) -> Settings {
    Settings {
        reduction: Some(Reduction::Table2),
        placement: BitSet::new(program.slots.len()),
        split: false,
        elements: Elements::Together,
        max_states: 1000,
        cancel: Cancel::new(),
    }
}

const SECOND: ProcId = ProcId(1);

/// Takes steps of a boolean program.
struct Walk<'a, 'p>(Checker<'a, 'p>);

impl Walk<'_, '_> {
    fn start(&mut self) -> State {
        match self.0.initial().remove(0).1 {
            Next::State(state) => state,
            Next::Assertion => panic!("no assertion fails at the start"),
        }
    }

    /// The next statement of process 2, and past slots without a flush.
    fn step(&self, state: State) -> State {
        let mut out = Vec::new();
        self.0.execute(&state, SECOND, &mut out);
        let [(next, Some(to))] = out[..] else { panic!("one way to go on: {out:?}") };
        let next = moved(next, SECOND, to);
        match self.0.b.procs[SECOND.index()][to.index()] {
            BoolOp::Flush { .. } => self.step(next),
            _ => next,
        }
    }

    /// An operation lands, for the last time if `last`.
    fn fire(&self, state: State, id: u32, last: bool) -> State {
        let of: Vec<bool> = self.0.b.program.remotes.ids().map(|r| r == RemoteId(id)).collect();
        let mut out = Vec::new();
        self.0.fires(&state, &of, &mut out);
        let left = |s: &State| self.0.count(s, id as usize) == 0;
        out.into_iter().map(|(_, next)| next).find(|next| left(next) == last).expect("it can land")
    }

    /// The values of the predicates, then of those over the first and the second set, then the flags.
    fn values(&self, state: &State) -> String {
        let value = |one: Bits, zero: Bits, p: usize| match (one & bit(p) != 0, zero & bit(p) != 0) {
            (true, _) => '1',
            (_, true) => '0',
            _ => '?',
        };
        let base: String = (0..self.0.b.base.len()).map(|p| value(state.one, state.zero, p)).collect();
        let of = |set: usize| match self.0.of_set(state, set).first() {
            Some(part) => members(self.0.b.sets[set].about).map(|p| value(part.one, part.zero, p)).collect(),
            None => "-".to_owned(),
        };
        let sets: Vec<String> = (0..self.0.b.sets.len()).map(of).collect();
        let flags: String = (0..self.0.b.n_counters).map(|i| self.0.count(state, i).to_string()).collect();
        format!("{base} {} {flags}", sets.join(" "))
    }
}

/// In the order r != 3, R != 3, Y != 3, X != 3; X1Set != 3, Y1Set != 3; Put1Active, Get1Active.
#[test]
fn the_worked_example() {
    let program = read(FIG2);
    let (b, settings) = (extrapolated(&program), published(&program));
    let mut walk = Walk(Checker::new(&b, &settings));
    let start = walk.start();
    assert_eq!(walk.values(&start), "1111 - - 00");
    let put = walk.step(start);
    assert_eq!(walk.values(&put), "1111 1 - 10");
    // Without a flush: the put may still bring the new value of X.
    let stored = walk.step(put);
    assert_eq!(walk.values(&stored), "1110 ? - 10");
    let landed = walk.fire(stored, 0, true);
    assert_eq!(walk.values(&landed), "11?0 - - 00");
    let asked = walk.step(landed);
    assert_eq!(walk.values(&asked), "11?0 - ? 01");
    let answered = walk.fire(asked, 1, true);
    assert_eq!(walk.values(&answered), "1??0 - - 00");
    assert_eq!(walk.values(&walk.step(answered)), "???0 - - 00");
    // A put that lands behind the get changes what that may bring.
    let asked = walk.step(stored);
    assert_eq!(walk.values(&asked), "1110 ? 1 11");
    assert_eq!(walk.values(&walk.fire(asked, 0, false)), "11?0 ? ? 11");
    // With a flush behind the put it lands while X is 2.
    let flushed = walk.fire(put, 0, true);
    assert_eq!(walk.values(&flushed), "1111 - - 00");
    let stored = walk.step(flushed);
    assert_eq!(walk.values(&stored), "1110 - - 00");
    let asked = walk.step(stored);
    assert_eq!(walk.values(&asked), "1110 - 1 01");
    let answered = walk.fire(asked, 1, true);
    assert_eq!(walk.values(&walk.step(answered)), "1110 - - 00");
}

#[test]
fn one_flush_is_enough_for_the_example() {
    let program = read(FIG2);
    let b = extrapolated(&program);
    for (slots, holds) in [(&[][..], false), (&[0], true), (&[1], false), (&[0, 1], true)] {
        let placement = BitSet::from_members(2, slots.iter().copied());
        let settings = Settings { placement, ..published(&program) };
        assert_eq!(Checker::new(&b, &settings).run() == Checked::Holds, holds, "{slots:?}");
    }
}

/// X > 5 of all elements, after 6, 7 and 4.
#[test]
fn a_set_of_some_numbers() {
    let program = read(
        "process 1: shared Y = 0; process 2: shared X = 6; local r; put(Y, 1, X); store X = 7; store X = 4; \
         assert final r == 0; predicates X > 5;",
    );
    let (b, settings) = (extrapolated(&program), published(&program));
    let mut walk = Walk(Checker::new(&b, &settings));
    let six = walk.start();
    let six = walk.step(six);
    assert_eq!(walk.values(&six), "1 1 1");
    let seven = walk.step(six);
    assert_eq!(walk.values(&seven), "1 1 1");
    assert_eq!(walk.values(&walk.step(seven)), "0 ? 1");
}

fn lines(b: &BoolProgram<'_>) -> Vec<String> {
    b.to_string().lines().map(|line| line.trim().to_owned()).collect()
}

/// X = Y + Z with X > 0, Y > 0 and Z > 2.
#[test]
fn the_choice_of_a_sum() {
    let program = read(
        "process 1: local x, y = ?, z = ?; x = y + z; assert final x == 0; predicates x > 0, y > 0, z > 2; domain 0..3;",
    );
    let b = abstracted(&program, &program.predicates, &Omega, 2, &Cancel::new()).expect("few predicates");
    assert!(lines(&b).contains(&"b1 := choose(b2 && b3, false);".to_owned()), "{b}");
}

/// Y = get(X) with X > 7 and Y > 5: the set in place of the variable.
#[test]
fn an_element_in_place_of_a_variable() {
    let program = read(
        "process 1: shared X = 0; process 2: shared Y = 0; local r; Y = get(X, 1); assert final r == 0; \
         predicates X > 7, Y > 5;",
    );
    let sequential = abstracted(&program, &program.predicates, &Omega, 2, &Cancel::new()).expect("few predicates");
    assert!(lines(&sequential).contains(&"b2 := choose(b1, false);".to_owned()), "{sequential}");
    let b = extrapolated(&program);
    assert!(checked(&b).contains(&"b2 := choose(b1(X1), false);".to_owned()), "{b}");
}

/// X >= Z, Y >= X and Y >= Z: when Y gets an element, nothing is known of Y and the elements of another set.
#[test]
fn two_sets_in_one_predicate_are_not_followed() {
    let program = read(
        "process 1: shared X = 0, Z = 0; process 2: shared Y = 0, W = 0; local r; W = get(Z, 1); Y = get(X, 1); \
         assert final r == 0; predicates X >= Z, Y >= X, Y >= Z;",
    );
    let lines = checked(&extrapolated(&program));
    let network =
        lines.iter().skip_while(|line| *line != "network:").skip_while(|line| !line.contains("Y = get(X, 1)"));
    let network: Vec<&str> = network.map(String::as_str).collect();
    let expected = [
        "// Y = get(X, 1)",
        "assume(n2 > 0);",
        "// an element of X1 is written",
        "b2 := ?;",
        "b3 := choose(b1(X1), !b1(X1));",
        "b3(Z1) := ?;",
        "b2(X1) := ?;",
        "n2 := n2 == 1 ? 0 : choose(1, many);",
        "if nothing of X1 is pending: X1 := {};",
    ];
    assert_eq!(network, expected);
}

/// Where many predicates are unknown, some stay so: one step must not make more states than there is room for.
#[test]
fn few_states_are_made_of_one() {
    let vars: Vec<String> = (0..16).map(|i| format!("a{i}")).collect();
    let given: Vec<String> = vars.iter().map(|var| format!("x == {var}")).collect();
    let program = read(&format!(
        "process 1: shared Z = 0; process 2: shared S = ?; local x = 0, {} = ?; load x = S; assert(x == 0); predicates {};",
        vars.join(" = ?, "),
        given.join(", ")
    ));
    let b = extrapolated(&program);
    let settings = Settings { split: true, ..published(&program) };
    let mut walk = Walk(Checker::new(&b, &settings));
    let start = walk.start();
    let mut out = Vec::new();
    walk.0.execute(&start, SECOND, &mut out);
    assert!((1..2 * MOST_SPLIT).contains(&out.len()), "{}", out.len());
}
