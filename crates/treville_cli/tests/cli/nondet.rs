//! Values that nothing determines, in C: what is explored, and what is said of it.

use crate::common::{treville, write};
use std::collections::BTreeSet;
use treville_trials::{Trial, test};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        test!(the_listings_of_the_thesis, Clang),
        test!(a_set_has_an_execution_for_each_order_and_path, Clang),
        test!(what_nobody_looks_at_makes_no_executions, Clang),
        test!(misuse_of_handles_names_both_places, Clang),
        test!(unknown_addresses_are_decided, Clang),
        test!(an_unknown_index_of_an_own_array_is_no_fork, Clang),
        test!(an_unknown_index_of_what_nobody_changes_is_no_fork, Clang),
        test!(an_unknown_index_of_what_others_change_is_one_way_for_each_element, Clang),
        test!(a_bit_is_decided_where_it_matters, Clang),
        test!(a_violation_says_its_values, Clang),
        test!(a_thread_that_is_not_started_assumes_nothing, Clang),
        test!(an_unknown_address_is_read_while_others_write, Clang),
    ]
}

fn counts(file: &str, cflags: &str) -> (u64, u64) {
    let run = treville(&["verify", file, "--json", "--engine=explore", &format!("--cflags={cflags}")]);
    assert!(run.stdout.contains("\"verdict\":\"yes\""), "{}{}", run.stdout, run.stderr);
    let number = |key: &str| {
        let (_, rest) = run.stdout.split_once(&format!("\"{key}\":")).expect("a count");
        rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().expect("a number")
    };
    (number("executions"), number("blocked"))
}

const LISTING_4_1: &str = r"
#include <assert.h>
#include <pthread.h>
#include <treville_nondet.h>
Nondet writer;
int x = 0;
void *thread_1(void *unused)
{
	Nondet local = __VERIFIER_nondet_receive(writer);
	local = __VERIFIER_nondet_eq(local, __VERIFIER_nondet_concrete(1));
	if (__VERIFIER_nondet_concretize(local))
		x = 1;
	return NULL;
}
void *thread_2(void *unused)
{
	Nondet local = __VERIFIER_nondet_receive(writer);
	local = __VERIFIER_nondet_ne(local, __VERIFIER_nondet_concrete(1));
	if (__VERIFIER_nondet_concretize(local))
		x = 1;
	return NULL;
}
int main(void)
{
	Nondet n = __VERIFIER_nondet_new();
	n = __VERIFIER_nondet_add(n, __VERIFIER_nondet_concrete(1));
	writer = __VERIFIER_nondet_send(n);
	pthread_t one, two;
	pthread_create(&one, NULL, thread_1, NULL);
	pthread_create(&two, NULL, thread_2, NULL);
	pthread_join(two, NULL);
	pthread_join(one, NULL);
	assert(x == 1);
}
";

const LISTING_4_4: &str = r"
#include <treville_nondet.h>
int main(void)
{
	Nondet n = __VERIFIER_nondet_new();
	Nondet m = __VERIFIER_nondet_new();
	__VERIFIER_nondet_concretize(__VERIFIER_nondet_eq(n, __VERIFIER_nondet_concrete(2)));
	__VERIFIER_nondet_concretize(__VERIFIER_nondet_eq(m, __VERIFIER_nondet_concrete(2)));
}
";

fn the_listings_of_the_thesis() {
    assert_eq!(counts(&write("nondet/listing-4-1.c", LISTING_4_1), ""), (2, 0));
    assert_eq!(counts(&write("nondet/listing-4-4.c", LISTING_4_4), ""), (4, 0));
}

/// The operations of the list-based set: who adds or asks for which key.
const OPERATIONS: usize = 4;
const WRITERS: usize = 2;

/// What comparisons say while the operations are done in this order on keys, and `main` looks at the end; all of them.
fn comparisons(order: &[usize], keys: [u32; OPERATIONS]) -> Vec<bool> {
    let mut list: Vec<u32> = vec![5];
    let mut trace = Vec::new();
    let mut added = [false; WRITERS];
    let visits = order.iter().map(|i| (*i, *i < WRITERS)).chain((0..WRITERS).map(|i| (i, false)));
    for (i, adds) in visits {
        let mut at = 0;
        while {
            trace.push(list[at] < keys[i]);
            list[at] < keys[i]
        } {
            at += 1;
        }
        trace.push(list[at] == keys[i]);
        if adds && list[at] != keys[i] {
            added[i] = true;
            list.insert(at, keys[i]);
        }
    }
    if added[0] && added[1] {
        trace.push(keys[0] == keys[1]);
    }
    trace
}

fn orders(left: &[usize]) -> Vec<Vec<usize>> {
    if left.is_empty() {
        return vec![Vec::new()];
    }
    let rest = |i: &usize| left.iter().copied().filter(|j| j != i).collect::<Vec<_>>();
    left.iter().flat_map(|i| orders(&rest(i)).into_iter().map(|o| [vec![*i], o].concat())).collect()
}

/// For each order of the critical sections, as many executions as there are outcomes of all comparisons.
fn a_set_has_an_execution_for_each_order_and_path() {
    let orders = orders(&[0, 1, 2, 3]);
    let keys = || (0..256u32).map(|n| [1 + n % 4, 1 + n / 4 % 4, 1 + n / 16 % 4, 1 + n / 64]);
    let paths = |order: &Vec<usize>| keys().map(|keys| comparisons(order, keys)).collect::<BTreeSet<_>>().len();
    assert_eq!(orders.len() * keys().count(), 6144);
    assert_eq!(orders.iter().map(paths).sum::<usize>(), 600);
    for cflags in ["-DHANDLES", "-DHANDLES -DFINE"] {
        assert_eq!(counts("case-studies/nondet/listset.c", cflags), (600, 0), "{cflags}");
    }
    for cflags in ["-DT1=4 -DT2=2 -DT3=3 -DT4=4", "-DFINE -DT1=3 -DT2=3 -DT3=3 -DT4=1"] {
        assert_eq!(counts("case-studies/nondet/listset.c", cflags), (24, 0), "{cflags}");
    }
}

fn what_nobody_looks_at_makes_no_executions() {
    let sizes =
        ["-DWRITERS=2 -DREADERS=0", "-DWRITERS=3 -DREADERS=0", "-DWRITERS=1 -DREADERS=1", "-DWRITERS=2 -DREADERS=2"];
    for (structure, size) in ["", "-DQUEUE"].iter().flat_map(|s| sizes.iter().map(move |size| (s, size))) {
        let of = |payload: &str| counts("case-studies/nondet/payload.c", &format!("{structure} {size} {payload}"));
        let numbers = of("");
        assert_eq!(of("-DUNKNOWN"), numbers, "{structure} {size}");
        assert_eq!(of("-DHANDLES"), numbers, "{structure} {size}");
    }
}

const MOVED: &str = r"
#include <treville_nondet.h>
int main(void)
{
	Nondet n = __VERIFIER_nondet_new();
	Nondet m = __VERIFIER_nondet_not(n);
	__VERIFIER_nondet_concretize(m);
	return __VERIFIER_nondet_concretize(n);
}
";

const FOREIGN: &str = r"
#include <pthread.h>
#include <treville_nondet.h>
static Nondet n;
static void *reader(void *unused)
{
	__VERIFIER_nondet_concretize(n);
	return unused;
}
int main(void)
{
	pthread_t t;
	n = __VERIFIER_nondet_new();
	pthread_create(&t, NULL, reader, NULL);
	pthread_join(t, NULL);
	return 0;
}
";

fn misuse_of_handles_names_both_places() {
    let unsent = FOREIGN.replace("concretize(n)", "receive(n)");
    let sent = MOVED.replace("nondet_not(n)", "nondet_send(n)").replace("\t__VERIFIER_nondet_concretize(m);", "");
    let unreceived = sent.replace("concretize(n)", "concretize(m)");
    for (name, text, message, lines) in [
        ("moved", MOVED, "a Nondet is used after it was moved", [8, 6]),
        ("foreign", FOREIGN, "a Nondet of another thread is used that was not sent", [7, 13]),
        ("unsent", &unsent, "a Nondet is received that was not sent", [7, 13]),
        ("moved-by-sending", &sent, "a Nondet is used after it was moved", [8, 6]),
        ("unreceived", &unreceived, "a Nondet that was sent is used without being received", [8, 6]),
    ] {
        let file = write(&format!("nondet/{name}.c"), text);
        let run = treville(&["verify", &file, "--json"]);
        assert!(run.stdout.contains("\"kind\":\"api-misuse\""), "{name}: {}", run.stdout);
        assert!(run.stdout.contains(message), "{name}: {}", run.stdout);
        let [at, other] = lines.map(|line| format!("\"line\":{line},"));
        let (before, after) = run.stdout.split_once("\"other\":").expect("another place");
        assert!(before.contains(&at) && after.contains(&other), "{name}: {}", run.stdout);
        let run = treville(&["verify", &file]);
        let places = lines.map(|line| format!("{name}.c:{line}:"));
        assert!(places.iter().all(|place| run.stdout.contains(place)), "{name}: {}", run.stdout);
    }
}

const TABLE: &str = r"
#include <assert.h>
#include <pthread.h>
#include <treville.h>
static pthread_mutex_t locks[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static int buckets[4];
static unsigned char keys[2];
static void *put(void *key)
{
	unsigned bucket = *(unsigned char *)key & 3;
	pthread_mutex_lock(&locks[bucket & 1]);
	buckets[bucket]++;
	pthread_mutex_unlock(&locks[LOCK]);
	return NULL;
}
int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++) {
		keys[i] = treville_nondet_u8();
		pthread_create(&threads[i], NULL, put, &keys[i]);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(buckets[0] + buckets[1] + buckets[2] + buckets[3] == 2);
	return 0;
}
";

fn unknown_addresses_are_decided() {
    let file = write("nondet/table.c", TABLE);
    // Of the 16 pairs of buckets, those with the same lock have two orders.
    assert_eq!(counts(&file, "-DLOCK=(bucket&1)"), (24, 0));
    let run = treville(&["verify", &file, "--json", "--cflags=-DLOCK=(bucket>>1)"]);
    assert!(run.stdout.contains("\"kind\":\"api-misuse\""), "{}", run.stdout);
    let run = treville(&["verify", &file, "--json", "--cflags=-DLOCK=bucket"]);
    assert_eq!(run.status, 1, "{}", run.stdout);
}

const ARRAY: &str = r"
#include <assert.h>
#include <treville.h>
int main(void)
{
	int counts[8] = { 0 };
	unsigned i = treville_nondet_u32(), j = treville_nondet_u32();
	treville_assume(i < SIZE);
	treville_assume(j < 8);
	counts[i]++;
	counts[j] += 2;
	assert(counts[i] == 1 + 2 * (i == j));
	return counts[7];
}
";

fn an_unknown_index_of_an_own_array_is_no_fork() {
    let file = write("nondet/array.c", ARRAY);
    assert_eq!(counts(&file, "-DSIZE=8"), (1, 0));
    let run = treville(&["verify", &file, "--json", "--cflags=-DSIZE=9"]);
    assert!(run.stdout.contains("\"kind\":\"invalid-access\""), "{}", run.stdout);
    assert!(run.stdout.contains("\"inputs\":[{\"value\":8,"), "{}", run.stdout);
}

/// Two threads look at a table at an index each.
const LOOKUP: &str = r"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <treville.h>
static atomic_int large;
#if defined(FILLED)
static int table[8];
#elif defined(HEAP)
static int *table;
#else
static const int table[8] = { 1, 5, 2, 7, 1, 6, 0, 9 };
#endif
static int results[2];
static void *look(void *number)
{
	unsigned i = treville_nondet_u32();
	treville_assume(i < SIZE);
	int found = table[i];
	results[(intptr_t)number] = found;
#ifdef BRANCH
	if (found > 4)
		large++;
#endif
	return NULL;
}
int main(void)
{
	pthread_t threads[2];
#ifdef HEAP
	table = malloc(8 * sizeof *table);
#endif
#if defined(FILLED) || defined(HEAP)
	for (int i = 0; i < 8; i++)
		table[i] = i & 1 ? 5 + i / 3 : i / 3;
#endif
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, look, (void *)(intptr_t)i);
#ifdef RACE
	table[3] = 8;
#endif
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(results[0] + results[1] < 19);
#ifdef LATE
	table[3] = 2;
	assert(table[results[0] & 7] <= 9);
#endif
#ifdef HEAP
	free(table);
#endif
	return 0;
}
";

fn an_unknown_index_of_what_nobody_changes_is_no_fork() {
    let file = write("nondet/lookup.c", LOOKUP);
    for table in ["-DSIZE=8", "-DSIZE=8 -DFILLED", "-DSIZE=8 -DHEAP", "-DSIZE=8 -DFILLED -DLATE"] {
        // Whether the sum is too large is not branched on: it never is.
        assert_eq!(counts(&file, table), (1, 0), "{table}");
        // Neither is large, or one of both is, or both, in two orders.
        assert_eq!(counts(&file, &format!("{table} -DBRANCH")), (5, 0), "{table}");
    }
    for table in ["", "-DFILLED", "-DHEAP"] {
        let run = treville(&["verify", &file, "--json", &format!("--cflags=-DSIZE=9 {table}")]);
        assert!(run.stdout.contains("\"kind\":\"invalid-access\""), "{table}: {}", run.stdout);
        assert!(run.stdout.contains("\"inputs\":[{\"value\":8,"), "{table}: {}", run.stdout);
    }
    for table in ["-DFILLED", "-DHEAP"] {
        let run = treville(&["verify", &file, "--json", &format!("--cflags=-DSIZE=8 -DRACE {table}")]);
        assert!(run.stdout.contains("\"kind\":\"race\""), "{table}: {}", run.stdout);
        assert!(run.stdout.contains("{\"value\":3,\"thread\":2,"), "{table}: {}", run.stdout);
        let run = treville(&["verify", &file, "--json", &format!("--cflags=-DSIZE=3 -DRACE {table}")]);
        assert!(run.stdout.contains("\"verdict\":\"yes\""), "{table}: {}", run.stdout);
    }
}

const BUCKETS: &str = r"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <treville.h>
static atomic_int buckets[SIZE];
static INDEX i, j;
static void *other(void *unused)
{
	buckets[j] = 2;
	return unused;
}
int main(void)
{
	pthread_t thread;
	i = treville_nondet_u32();
	j = treville_nondet_u32();
	treville_assume(0 <= i && i < SIZE && 0 <= j && j < SIZE);
	ASSUME;
	pthread_create(&thread, NULL, other, NULL);
	buckets[i] = 1;
	pthread_join(thread, NULL);
	assert(buckets[i] == 1 || (i == j && buckets[i] == 2));
	return 0;
}
";

fn an_unknown_index_of_what_others_change_is_one_way_for_each_element() {
    let file = write("nondet/buckets.c", BUCKETS);
    for (index, size, assume, executions) in [
        // All pairs, and equal ones in two orders.
        ("unsigned", 4, "(void)0", 20),
        ("int", 4, "(void)0", 20),
        ("long", 3, "(void)0", 12),
        // Those that are equal are decided once.
        ("int", 600, "treville_assume(i==j)", 1200),
        // Far apart, and few.
        ("unsigned", 5000, "treville_assume(i%2000==7&&j==i/2)", 3),
    ] {
        let flags = format!("-DINDEX={index} -DSIZE={size} -DASSUME={assume}");
        assert_eq!(counts(&file, &flags), (executions, 0), "{flags}");
    }
    let run = treville(&["verify", &file, "--json", "--cflags=-DINDEX=signed -DSIZE=4 -DASSUME=i-=3"]);
    assert!(run.stdout.contains("\"kind\":\"invalid-access\""), "{}", run.stdout);
    assert!(run.stdout.contains("\"inputs\":[{\"value\":0,"), "{}", run.stdout);
}

const BIT: &str = r"
#include <assert.h>
#include <treville.h>
static bool seen;
int main(void)
{
	seen = treville_nondet_bool();
	bool other = treville_nondet_bool();
#ifdef BRANCH
	if (seen)
		seen = other;
#endif
	assert(seen <= 1);
	return 0;
}
";

fn a_bit_is_decided_where_it_matters() {
    let file = write("nondet/bit.c", BIT);
    assert_eq!(counts(&file, ""), (1, 0));
    assert_eq!(counts(&file, "-DBRANCH"), (2, 0));
}

const THIRD: &str = r"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <treville.h>
static atomic_uint x;
static void *reader(void *unused)
{
	unsigned seen = x;
	if (seen > 10)
		assert(3 * seen != 45);
	return unused;
}
int main(void)
{
	pthread_t t;
	unsigned n = treville_nondet_u32(), m = treville_nondet_u8();
	treville_assume(m > 200 && m < 220);
	pthread_create(&t, NULL, reader, NULL);
	x = n;
	pthread_join(t, NULL);
	return 0;
}
";

fn a_violation_says_its_values() {
    let file = write("nondet/third.c", THIRD);
    let run = treville(&["verify", &file, "--json"]);
    assert_eq!(run.status, 1, "{}", run.stdout);
    assert!(run.stdout.contains("\"inputs\":[{\"value\":15,\"thread\":0,\"location\":{"), "{}", run.stdout);
    assert!(run.stdout.contains("{\"value\":201,\"thread\":0,"), "{}", run.stdout);
    let run = treville(&["verify", &file]);
    assert!(run.stdout.contains("takes the value 15"), "{}", run.stdout);
    // The odd factor is no divisor of the number if that is even.
    let even = write("nondet/even.c", &THIRD.replace("3 * seen != 45", "2 * seen != 45"));
    assert_eq!(counts(&even, ""), (3, 0));
}

const NOT_STARTED: &str = r"
#include <pthread.h>
#include <stdatomic.h>
#include <treville.h>
static atomic_int d, e;
static void *assumes(void *unused)
{
	treville_assume(d < 5);
	return unused;
}
static void *sets(void *unused)
{
	e = 9;
	return unused;
}
int main(void)
{
	pthread_t t;
	int v = (int)treville_nondet_u32();
	d = v;
	if (v < 0)
		return 0;
	e = 1;
	e = 2;
	e = 3;
	pthread_create(&t, NULL, assumes, NULL);
	pthread_create(&t, NULL, sets, NULL);
	while (e != 9)
		;
	if (v == 7)
		e = 4;
	return 0;
}
";

/// What a thread assumes is asked again, in executions in which the thread was never started.
fn a_thread_that_is_not_started_assumes_nothing() {
    let file = write("nondet/not_started.c", NOT_STARTED);
    for options in [&["--engine=explore"][..], &["--engine=explore", "--reductions=none", "--bound=3"]] {
        let run = treville(&[&["verify", &file, "--accept-bounded"], options].concat());
        assert_eq!(run.status, 0, "{options:?}: {}{}", run.stdout, run.stderr);
    }
}

const ADDRESS: &str = r"
#include <pthread.h>
#include <stdatomic.h>
#include <treville.h>
static struct {
	int array[2];
	atomic_int flag;
} s;
static void *reader(void *unused)
{
	unsigned long x = treville_nondet_u64();
	treville_assume(x == (unsigned long)&s.array[0] || x == (unsigned long)&s.array[1]);
	int seen = *(int *)x;
	atomic_store_explicit(&s.flag, 1, memory_order_relaxed);
	return unused;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, reader, NULL);
	while (!atomic_load_explicit(&s.flag, memory_order_relaxed))
		;
	s.array[0] = 1;
	return 0;
}
";

/// The address is not computed from that of the array, and only the path says that it is in it.
fn an_unknown_address_is_read_while_others_write() {
    let file = write("nondet/address.c", ADDRESS);
    for reductions in ["all", "counted", "none"] {
        let options = ["--engine=explore", "--bound=3", "--accept-bounded", "--reductions", reductions];
        let run = treville(&[&["verify", &file, "--model=rc11"], &options[..]].concat());
        assert!(run.stdout.contains(": no, race"), "{reductions}: {}{}", run.stdout, run.stderr);
    }
}
