//! Programs in C with the memory orders of the Linux kernel.

use crate::common::{treville, write};
use treville_trials::{Trial, test};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        test!(fences_order_marked_accesses, Clang),
        test!(dependencies_count_and_never_end, Clang),
        test!(updates_order_as_they_say, Clang),
        test!(spin_locks_exclude_and_order, Clang),
        test!(a_grace_period_waits_for_readers, Clang),
        test!(what_does_not_fit_is_refused, Clang),
    ]
}

const BEGIN: &str = r"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <treville_linux.h>
";

/// A thread beside `main`.
fn program(shared: &str, thread: &str, main: &str) -> String {
    format!(
        "{BEGIN}{shared}
static void *thread(void *unused)
{{
	{thread}
	return unused;
}}

int main(void)
{{
	pthread_t t;
	pthread_create(&t, 0, thread, 0);
	{main}
	pthread_join(t, 0);
	return 0;
}}
"
    )
}

/// What is said of a program, after its name.
fn answer(name: &str, text: &str, more: &[&str]) -> String {
    let file = write(&format!("kernel/{name}.c"), text);
    let run = treville(&[&["verify", &file], more].concat());
    let said = if run.stdout.is_empty() { run.stderr } else { run.stdout };
    said.lines().next().unwrap_or_default().split_once(".c").map_or(String::new(), |(_, rest)| rest.to_owned())
}

const YES: &str = " under linux-kernel: yes, no execution fails";

fn message(publish: &str, between: &str) -> String {
    let main = format!("if (READ_ONCE(ready)) {{ {between} assert(READ_ONCE(data) == 1); }}");
    program("int data, ready;", &format!("WRITE_ONCE(data, 1); {publish} WRITE_ONCE(ready, 1);"), &main)
}

fn fences_order_marked_accesses() {
    assert_eq!(answer("fences", &message("smp_wmb();", "smp_rmb();"), &[]), YES);
    assert_eq!(answer("fences-both", &message("smp_mb();", "smp_mb();"), &["--engine=enumerate"]), YES);
    for (name, publish, between) in [("no-wmb", "barrier();", "smp_rmb();"), ("no-rmb", "smp_wmb();", "barrier();")] {
        let said = answer(name, &message(publish, between), &[]);
        assert_eq!(said, " under linux-kernel: no, assertion: READ_ONCE(data) == 1");
    }
}

fn dependencies_count_and_never_end() {
    let buffering = |guard: &str| {
        let thread = format!("int r = READ_ONCE(x); {guard} WRITE_ONCE(y, 1);");
        program("int x, y;", &thread, "int r = READ_ONCE(y); smp_mb(); WRITE_ONCE(x, 1); assert(r == 0);")
    };
    assert!(answer("lb", &buffering("(void)r;"), &[]).contains("no, assertion: r == 0"));
    for engine in ["--engine=bmc", "--engine=enumerate"] {
        assert_eq!(answer("lb-ctrl", &buffering("if (r)"), &[engine]), YES);
    }
}

fn updates_order_as_they_say() {
    let buffers = |swap: &str| {
        let thread = format!("{swap}(&x, 1); a = READ_ONCE(y);");
        program(
            "int x, y, a;",
            &thread,
            &format!("{swap}(&y, 1); int b = READ_ONCE(x); pthread_join(t, 0); assert(a || b); exit(0);"),
        )
    };
    assert_eq!(answer("xchg", &buffers("xchg"), &["--property=assertion"]), YES);
    assert!(
        answer("xchg-relaxed", &buffers("xchg_relaxed"), &["--property=assertion"]).contains("no, assertion: a || b")
    );
    let counter = program(
        "atomic_t n;",
        "atomic_inc(&n); atomic_sub(2, &n);",
        "int was = atomic_fetch_add(5, &n); int is = atomic_add_return(1, &n); pthread_join(t, 0);
	 assert(atomic_read(&n) == 5 && is - was >= 4 && is - was <= 7); exit(was == 77);",
    );
    assert_eq!(answer("counter", &counter, &["--property=assertion"]), YES);
    let claim = program(
        "int owner;",
        "if (cmpxchg_acquire(&owner, 0, 1) == 0) assert(READ_ONCE(owner) == 1);",
        "if (cmpxchg(&owner, 0, 2) == 0) assert(READ_ONCE(owner) == 2);",
    );
    assert_eq!(answer("cmpxchg", &claim, &[]), YES);
}

fn spin_locks_exclude_and_order() {
    let add = "spin_lock(&lock); counter++; spin_unlock(&lock);";
    let sum = |thread: &str| {
        let main = format!("{add} pthread_join(t, 0); assert(counter == 2); exit(0);");
        program("static DEFINE_SPINLOCK(lock); int counter;", thread, &main)
    };
    for engine in ["--engine=bmc", "--engine=enumerate"] {
        assert_eq!(answer("lock", &sum(add), &[engine]), YES);
    }
    assert!(answer("unlocked", &sum("counter++;"), &[]).contains("no, race"));
    assert!(answer("unlocked-sum", &sum("counter++;"), &["--property=assertion"]).contains("assertion: counter == 2"));
    let tries = "if (spin_trylock(&lock)) { counter++; spin_unlock(&lock); } else counter_missed = 1;";
    let tried = sum(tries)
        .replace("int counter;", "int counter, counter_missed;")
        .replace("counter == 2", "counter + counter_missed == 2");
    assert_eq!(answer("trylock", &tried, &["--property=assertion"]), YES);
    let twice = sum("spin_lock(&lock); spin_lock(&lock);");
    assert!(answer("twice", &twice, &["--property=deadlock,assertion"]).contains("no, deadlock"));
    let stray = sum("spin_unlock(&lock);");
    assert!(answer("stray", &stray, &[]).contains("no, api-misuse"));
}

fn a_grace_period_waits_for_readers() {
    let reader = "rcu_read_lock(); int *p = rcu_dereference(current); if (p) value = READ_ONCE(*p); rcu_read_unlock();";
    let reclaim = |wait: &str| {
        let begin = "int *current; int value;";
        let main = format!("rcu_assign_pointer(current, (int *)0); {wait} free(first);");
        let text = program(begin, reader, &main);
        text.replace(
            "	pthread_t t;",
            "	int *first = malloc(sizeof *first); WRITE_ONCE(*first, 7); current = first; pthread_t t;",
        )
    };
    assert_eq!(answer("rcu", &reclaim("synchronize_rcu();"), &["--property=memory"]), YES);
    assert!(answer("rcu-hasty", &reclaim("smp_mb();"), &["--property=memory"]).contains("no, use-after-free"));
}

fn what_does_not_fit_is_refused() {
    let text = message("smp_wmb();", "smp_rmb();");
    assert_eq!(answer("under-sc", &text, &["--model=sc"]), " under sc: yes, no execution fails");
    for (more, why) in [
        (["--model=rc11"], "the model rc11 does not know what LKMM tests use"),
        (["--model=tso"], "the model tso does not know what LKMM tests use"),
        (["--engine=explore"], "programs for the Linux kernel are for bmc and enumerate"),
    ] {
        let file = write("kernel/refused.c", &text);
        let run = treville(&[&["verify", &file][..], &more[..]].concat());
        assert_eq!(run.status, 2, "{}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains(why), "{}", run.stderr);
    }
    let mixed = text.replace("WRITE_ONCE(ready, 1)", "__atomic_store_n(&ready, 1, __ATOMIC_RELEASE)");
    let file = write("kernel/mixed.c", &mixed);
    let run = treville(&["verify", &file]);
    assert!(
        format!("{}{}", run.stdout, run.stderr).contains("an atomic operation of C11 beside those of the Linux kernel"),
        "{}{}",
        run.stdout,
        run.stderr
    );
}
