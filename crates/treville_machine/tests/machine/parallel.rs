//! Several workers find what one finds: the same counts, and the same runs.

use crate::common::{queries, read, task};
use treville_base::Cancel;
use treville_machine::Machine;
use treville_task::{Engine, Limits, Outcome, Silent, Task};

/// A filter lock of three threads, the last of which does not wait for the second.
const FILTER: &str = r"
init level1 = 0, level2 = 0, level3 = 0, victim1 = 0, victim2 = 0;
thread t1 {
  level1 := 1; victim1.swap(1); while ((level2^A >= 1 || level3^A >= 1) && victim1^A == 1) skip;
  level1 := 2; victim2.swap(1); while ((level2^A >= 2 || level3^A >= 2) && victim2^A == 1) skip;
  cs: skip; level1 :=R 0;
}
thread t2 {
  level2 := 1; victim1.swap(2); while ((level1^A >= 1 || level3^A >= 1) && victim1^A == 2) skip;
  level2 := 2; victim2.swap(2); while ((level1^A >= 2 || level3^A >= 2) && victim2^A == 2) skip;
  cs: skip; level2 :=R 0;
}
thread t3 {
  level3 := 1; victim1.swap(3); while (level1^A >= 1 && victim1^A == 3) skip;
  level3 := 2; victim2.swap(3); while (level1^A >= 2 && victim2^A == 3) skip;
  cs: skip; level3 :=R 0;
}
invariant apart12: pc(t1) != cs || pc(t2) != cs;
invariant apart13: pc(t1) != cs || pc(t3) != cs;
invariant apart23: pc(t2) != cs || pc(t3) != cs;
outcome left: definite(t1, level2, 0);
";

fn run(machine: &str, threads: u32, states: Option<u64>) -> Outcome {
    let (program, claims) = read(FILTER);
    let limits = Limits { threads: Some(threads), states, cancel: Cancel::new(), memory_mb: None };
    let mut outcome =
        Machine::default().run(&Task { queries: queries(&claims), limits, ..task(program, machine) }, &Silent);
    outcome.stats.remove("states_per_second");
    outcome
}

#[test]
fn counts_and_runs_are_those_of_one_worker() {
    for (machine, states) in [("rar", None), ("tso", None), ("sc", None), ("rar", Some(5000))] {
        let one = format!("{:?}", run(machine, 1, states));
        for threads in [2, 3, 8] {
            assert_eq!(format!("{:?}", run(machine, threads, states)), one, "{machine}, {threads} workers");
        }
    }
}
