//! Options and outputs that only programs have.

use crate::common::{treville, write};
use treville_trials::{Trial, test};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        test!(a_weak_exchange_fails_for_no_reason_on_request, Clang),
        test!(accesses_outside_of_every_object_are_found, Clang),
        test!(properties_narrow_what_is_looked_for, Clang),
        test!(flags_of_the_model_are_violations, Clang),
        test!(executions_of_programs_are_drawn_and_listed, Clang),
        test!(what_a_bound_cut_is_said, Clang),
        test!(branches_of_c_order_what_depends_on_them, Clang),
        test!(initialising_an_atomic_object_is_one_of_its_modifications, Clang),
        test!(no_thread_joins_itself, Clang),
        test!(threads_are_numbered_alike_by_all_engines, Clang),
        test!(a_counter_has_no_more_values_than_are_counted, Clang),
        test!(loops_run_as_often_as_is_known_or_said, Clang),
        test!(a_load_in_parts_reads_all_of_them_from_its_address, Clang),
        test!(a_large_array_at_an_unknown_index_is_refused_in_time, Clang),
    ]
}

const WEAK: &str = r"
#include <assert.h>
#include <stdatomic.h>
static atomic_int x;
int main(void)
{
	int expected = 0;
	if (!atomic_compare_exchange_weak(&x, &expected, 1))
		assert(expected != 0);
	return 0;
}
";

fn a_weak_exchange_fails_for_no_reason_on_request() {
    let file = write("programs/weak.c", WEAK);
    let run = treville(&["verify", &file]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    assert!(run.stdout.ends_with("  1 complete execution, 0 blocked\n"), "{}", run.stdout);
    let run = treville(&["verify", &file, "--weak-cas"]);
    assert_eq!(run.status, 1, "{}", run.stdout);
    assert!(run.stdout.contains("no, assertion: expected != 0\n"), "{}", run.stdout);
}

const WILD: &str = r"
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static int a[2];
static void *add(void *p)
{
	atomic_fetch_add(&x, 40);
	return 0;
}
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, add, 0);
	pthread_create(&u, 0, add, 0);
	a[atomic_load(&x) * FACTOR] = 1;
	return 0;
}
";

fn accesses_outside_of_every_object_are_found() {
    let file = write("programs/wild.c", WILD);
    for engine in ["explore", "bmc"] {
        let run = treville(&["verify", &file, "--engine", engine, "--cflags=-DFACTOR=1000"]);
        assert!(run.stdout.contains("no, invalid-access: "), "{engine}: {}", run.stdout);
        let run = treville(&["verify", &file, "--engine", engine, "--cflags=-DFACTOR=0"]);
        assert_eq!(run.status, 0, "{engine}: {}", run.stdout);
    }
}

fn properties_narrow_what_is_looked_for() {
    let kind = |property: &str| {
        let run = treville(&["verify", "cases/guide/message.c", "--json", property]);
        (run.status, run.stdout.contains("\"kind\":\"race\""))
    };
    assert_eq!(kind("--property=race"), (1, true));
    assert_eq!(kind("--property=leak"), (1, true));
    assert_eq!(kind("--property=usual"), (1, true));
    // The message is never read before it is there, whatever the race means.
    assert_eq!(kind("--property=memory"), (0, false));
}

const FLAG: &str = r#"
"every relaxed access is flagged"
let com = rf | co | fr
acyclic po | com as sc
flag ~empty [RLX] as relaxed-access
"#;

fn flags_of_the_model_are_violations() {
    let model = write("programs/flag.cat", FLAG);
    let run = treville(&["verify", "cases/guide/message.c", "--json", "--model", &model, "--property=flag"]);
    assert_eq!(run.status, 1, "{}", run.stdout);
    assert!(run.stdout.contains("\"violation\":{\"kind\":\"flag\",\"name\":\"relaxed-access\""), "{}", run.stdout);
    let run = treville(&["verify", "cases/guide/message.c", "--json", "--model", &model, "--property=assertion"]);
    assert_eq!(run.status, 0, "{}", run.stdout);
}

fn executions_of_programs_are_drawn_and_listed() {
    for (format, begins) in [("dot", "digraph execution0 {"), ("svg", "<svg"), ("html", "<!DOCTYPE html>")] {
        let run = treville(&["show", "cases/guide/message.c", "--format", format]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        assert!(run.stdout.to_lowercase().starts_with(&begins.to_lowercase()), "{}", run.stdout);
        assert!(run.stdout.contains("W[message]=42"), "{}", run.stdout);
    }
    let run = treville(&["show", "cases/guide/message-released.c"]);
    assert_eq!(run.stdout.matches("a complete execution").count(), 2, "{}", run.stdout);
    let run = treville(&["show", "cases/guide/message-released.c", "--which=positive"]);
    assert_eq!(run.status, 1, "{}", run.stdout);
    let run = treville(&["verify", "cases/guide/message.c", "--json", "--witness"]);
    let witness = "\"witness\":{\"events\":[{\"id\":\"a\",\"thread\":0,\"kind\":\"other\"";
    assert!(run.stdout.contains(witness), "{}", run.stdout);
    assert!(run.stdout.contains("\"rf\":[[\"d\",\"c\"],[\"e\",\"b\"]],\"co\":[]"), "{}", run.stdout);
}

fn what_a_bound_cut_is_said() {
    let run = treville(&["verify", "cases/bad-input/counting.c", "--bound=3"]);
    assert_eq!(run.status, 3, "{}", run.stdout);
    assert!(run.stdout.contains("cases/bad-input/counting.c:7:9: a loop around this was cut\n"), "{}", run.stdout);
    let run = treville(&["verify", "cases/bad-input/counting.c", "--bound=3", "--accept-bounded", "--json"]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    assert!(
        run.stdout.contains("\"scope\":\"bounded\",\"relative_to\":[\"loops run at most 3 times\"]"),
        "{}",
        run.stdout
    );
}

/// What is said of a program, after its name.
fn answer(name: &str, text: &str, more: &[&str]) -> String {
    let file = write(&format!("programs/{name}.c"), text);
    let run = treville(&[&["verify", &file], more].concat());
    let first = run.stdout.lines().next().unwrap_or_default();
    first.split_once(".c").map_or(format!("{}{}", run.stdout, run.stderr), |(_, rest)| rest.to_owned())
}

const ENGINES: [&str; 3] = ["--engine=explore", "--engine=bmc", "--engine=enumerate"];

const BUFFERING: &str = r"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static void *copy(void *unused)
{
	if (atomic_load_explicit(&x, memory_order_relaxed))
		atomic_store_explicit(&y, 1, memory_order_relaxed);
	return unused;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, copy, 0);
	int seen = atomic_load_explicit(&y, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	assert(!seen);
	return 0;
}
";

fn branches_of_c_order_what_depends_on_them() {
    let free = BUFFERING.replace("if (atomic_load_explicit(&x, memory_order_relaxed))", "(void)atomic_load(&x);");
    for engine in ENGINES {
        assert_eq!(answer("buffering", BUFFERING, &["--model=imm", engine]), " under imm: yes, no execution fails");
    }
    let free = free.replace("atomic_load(&x)", "atomic_load_explicit(&x, memory_order_relaxed)");
    assert_eq!(answer("buffering-free", &free, &["--model=imm", "--engine=bmc"]), " under imm: no, assertion: !seen");
}

const INITIALISED: &str = r"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int lock;
static int inside;
static void *enter(void *unused)
{
	if (!atomic_exchange_explicit(&lock, 1, memory_order_acquire))
		inside++;
	return unused;
}
int main(void)
{
	pthread_t a, b;
	atomic_init(&lock, 0);
	pthread_create(&a, 0, enter, 0);
	pthread_create(&b, 0, enter, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(inside == 1);
	return 0;
}
";

fn initialising_an_atomic_object_is_one_of_its_modifications() {
    // Of two exchanges only one can come directly after it.
    let said = answer("initialised", INITIALISED, &["--model=c11", "--engine=bmc"]);
    assert_eq!(said, " under c11: yes, no execution fails");
}

const SELF: &str = r"
#include <pthread.h>
static void *wait(void *unused)
{
	pthread_join(pthread_self(), 0);
	return unused;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, wait, 0);
	return 0;
}
";

fn no_thread_joins_itself() {
    for engine in ENGINES {
        assert_eq!(answer("self", SELF, &[engine]), " under rc11: no, api-misuse: joins itself");
    }
}

const NUMBERS: &str = r"
#include <assert.h>
#include <pthread.h>
int __VERIFIER_tid(void);
static void *first(void *unused)
{
	assert(__VERIFIER_tid() == 1);
	return unused;
}
static void *second(void *unused)
{
	assert(__VERIFIER_tid() == 2 && !pthread_equal(pthread_self(), *(pthread_t *)unused));
	return unused;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, first, 0);
	pthread_create(&b, 0, second, &a);
	assert(__VERIFIER_tid() == WANTED);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
";

fn threads_are_numbered_alike_by_all_engines() {
    for engine in ENGINES {
        let said = |wanted: &str| answer("numbers", &NUMBERS.replace("WANTED", wanted), &[engine]);
        assert_eq!(said("0"), " under rc11: yes, no execution fails", "{engine}");
        assert!(said("3").starts_with(" under rc11: no, assertion: "), "{engine}");
    }
}

const TICKETS: &str = r"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int next, seen;
static int size;
static _Atomic(atomic_int *) *slots;
static void *enter(void *mine)
{
	int ticket = atomic_fetch_add(&next, 1);
	atomic_store(&slots[ticket % size], (atomic_int *)mine);
	atomic_int *other = atomic_load(&slots[(ticket + 1) % size]);
	if (other)
		atomic_store(other, 1);
	return 0;
}
int main(void)
{
	static atomic_int nodes[2];
	pthread_t a, b;
	size = 2;
	slots = malloc(2 * sizeof *slots);
	atomic_init(&slots[0], 0);
	atomic_init(&slots[1], 0);
	pthread_create(&a, 0, enter, &nodes[0]);
	pthread_create(&b, 0, enter, &nodes[1]);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(nodes[0] + nodes[1] >= WANTED);
	return 0;
}
";

fn a_counter_has_no_more_values_than_are_counted() {
    // Tickets choose places in an array: if there were any number of them, these could be anywhere.
    for engine in ["--engine=explore", "--engine=bmc"] {
        let said = |wanted: &str| answer("tickets", &TICKETS.replace("WANTED", wanted), &[engine]);
        assert_eq!(said("1"), " under rc11: yes, no execution fails", "{engine}");
        assert!(said("2").starts_with(" under rc11: no, assertion: "), "{engine}");
    }
}

const LOOPS: &str = r"
#include <assert.h>
#include <treville.h>
static volatile int sum, end = 6;
int main(void)
{
	for (int i = 1; i <= 5; i++)
		for (int j = i; j; j--)
			sum++;
	BOUND;
	for (int i = 0; i < end; i++)
		sum++;
	assert(sum == 21);
	return 0;
}
";

fn loops_run_as_often_as_is_known_or_said() {
    // The first two count; what the third one counts to is in memory.
    let bound = ["--engine=bmc", "--bound=1"];
    assert!(answer("loops", &LOOPS.replace("BOUND;", ""), &bound).contains("unknown"));
    assert_eq!(
        answer("loops-said", &LOOPS.replace("BOUND", "treville_loop_bound(7)"), &bound),
        " under rc11: yes, no execution fails"
    );
    let wrong = LOOPS.replace("BOUND", "treville_loop_bound(7)").replace("sum == 21", "sum == 20");
    assert_eq!(answer("loops-wrong", &wrong, &bound), " under rc11: no, assertion: sum == 20");
}

const HALVES: &str = r"
#include <assert.h>
#include <stdint.h>
union cell { uint64_t whole; uint32_t half[2]; };
static union cell x;
static uint64_t get(union cell *p) { return __atomic_load_n(&p->whole, __ATOMIC_RELAXED); }
static uint64_t (*volatile getter)(union cell *) = get;
int main(void)
{
	x.half[0] = 1;
	x.half[1] = 2;
	assert(getter(&x) == 0x200000001);
	return 0;
}
";

/// In a function that is not inlined, nobody needs the address after the load; but the second half is still to be read.
fn a_load_in_parts_reads_all_of_them_from_its_address() {
    assert_eq!(answer("halves", HALVES, &ENGINES[..1]), " under rc11: yes, no execution fails");
    let wrong = HALVES.replace("0x200000001", "0x100000001");
    assert_eq!(answer("halves-wrong", &wrong, &ENGINES[..1]), " under rc11: no, assertion: getter(&x) == 0x100000001");
}

const LARGE: &str = r"
#include <assert.h>
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
static int a[40000];
int main(void)
{
	int i = __VERIFIER_nondet_int();
	__VERIFIER_assume(i >= 0 && i < 40000);
	a[i] = 1;
	assert(a[i] == 1);
	return 0;
}
";

/// Relations between all places of a large array are too much for an engine that builds them.
fn a_large_array_at_an_unknown_index_is_refused_in_time() {
    let file = write("programs/large.c", LARGE);
    let run = treville(&["verify", &file, "--engine=bmc", "--timeout=60"]);
    assert_eq!(run.status, 3, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("20000 places in memory are read or written, more than 16384"), "{}", run.stdout);
}
