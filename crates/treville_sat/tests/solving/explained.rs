//! Edges that are conjunctions of other literals, and clauses of the theory that speak of these.

use crate::problem::{Problem, Random};
use std::collections::BTreeMap;
use treville_base::Cancel;
use treville_sat::{Backend, Explain, Gates, Lit, Orders, Solver, Var, Verdict};

/// Says for a gate the inputs that it is the conjunction of.
struct Inputs(BTreeMap<Lit, [Lit; 2]>);

impl Explain for Inputs {
    fn vars(&self) -> Vec<Var> {
        self.0.values().flatten().map(|lit| lit.var()).collect()
    }

    fn explain(&self, lit: Lit, is_true: &dyn Fn(Lit) -> bool, because: &mut Vec<Lit>) {
        if let Some(inputs) = self.0.get(&lit).filter(|inputs| inputs.iter().all(|lit| is_true(*lit))) {
            because.extend(inputs);
        }
    }
}

/// The edges of `problem` are there if a second literal holds as well, which is taken from `seconds`. Gives the verdict, and how
/// often the theory spoke of gates.
fn solve(backend: Backend, problem: &Problem, seconds: &[Lit], is_explained: bool) -> (Verdict, usize) {
    let mut gates = Gates::new(Solver::with_theory(backend, Orders::new()));
    problem.give(&mut gates.sink);
    let orders: Vec<_> = (0..problem.n_orders).map(|_| gates.sink.theory_mut().add_order()).collect();
    let mut inputs = BTreeMap::new();
    for (edge, second) in problem.edges.iter().zip(seconds) {
        let lit = gates.and(edge.3, *second);
        if lit != edge.3 && lit != *second && !lit.is_constant() {
            inputs.insert(lit, [edge.3, *second]);
        }
        gates.sink.theory_mut().add_edge(orders[edge.0], edge.1, edge.2, lit);
    }
    let gate_lits: Vec<Lit> = inputs.keys().copied().collect();
    gates.sink.theory_mut().keep_log();
    if is_explained {
        gates.sink.theory_mut().set_explain(Box::new(Inputs(inputs)));
    }
    let verdict = gates.sink.solve(&[], &Cancel::new());
    if verdict == Verdict::Sat {
        let present = |edge: &(usize, usize, usize, Lit), second: Lit| {
            let lit = Lit::constant(gates.sink.value(edge.3) && gates.sink.value(second));
            (edge.0, edge.1, edge.2, lit)
        };
        let edges = problem.edges.iter().zip(seconds).map(|(edge, second)| present(edge, *second)).collect();
        let decided = Problem { edges, ..problem.clone() };
        assert!(decided.is_model(|lit| gates.sink.value(lit)), "{problem:?}");
    }
    let orders = gates.sink.theory();
    let gates_told = orders.log().iter().flat_map(|lemma| &lemma.clause).filter(|lit| gate_lits.contains(&!**lit));
    (verdict, gates_told.count())
}

#[test]
fn explanations_do_not_change_answers() {
    for backend in Backend::ALL {
        let mut random = Random::new(4);
        let (mut with_gates, mut without_gates) = (0, 0);
        for _ in 0..150 {
            let problem = Problem::sized(&mut random, 40, 2, 12);
            let second = |random: &mut Random| Lit::new(2 + random.below(40) as i32);
            let seconds: Vec<Lit> = problem.edges.iter().map(|_| second(&mut random)).collect();
            let (expected, n_plain) = solve(*backend, &problem, &seconds, false);
            let (found, n_explained) = solve(*backend, &problem, &seconds, true);
            assert_eq!(found, expected, "{problem:?} {seconds:?}");
            with_gates += n_plain;
            without_gates += n_explained;
        }
        assert!(without_gates * 2 < with_gates, "{without_gates} {with_gates}");
    }
}
