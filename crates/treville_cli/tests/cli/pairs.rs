//! Programs on pairs of words have as many executions as the same programs on pairs of half-words, which are one word.

use crate::common::{treville, write};
use treville_trials::{Trial, test};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        test!(a_pair_of_words_is_a_word_of_two_halves, Clang),
        test!(halves_of_a_word_are_accessed_alone, Clang),
        test!(what_cannot_be_accessed_at_once_is_refused_with_its_place, Clang),
        test!(nobody_tears_an_atomic_access, Clang),
    ]
}

/// A pair is 16 bytes, or with NARROW 8.
const PAIR: &str = r"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#ifdef NARROW
typedef uint64_t pair;
#define HALF 32
#else
typedef unsigned __int128 pair;
#define HALF 64
#endif
#define PAIR(low, high) ((pair)(low) | (pair)(high) << HALF)
#define LOW(p) ((unsigned)(p))
#define HIGH(p) ((unsigned)((p) >> HALF))
#define LOAD(x) atomic_load_explicit(&(x), LOADS)
#define STORE(x, v) atomic_store_explicit(&(x), v, STORES)
#define EXCHANGE(x, v) atomic_exchange_explicit(&(x), v, UPDATES)
#define REPLACE(x, e, v) atomic_compare_exchange_strong_explicit(&(x), e, v, UPDATES, LOADS)
static void run(int n, void *(*const f[])(void *))
{
	pthread_t t[6];
	for (int i = 0; i < n; i++)
		pthread_create(&t[i], 0, f[i], (void *)(uintptr_t)(i + 1));
	for (int i = 0; i < n; i++)
		pthread_join(t[i], 0);
}
";

const STACK: &str = r"
static _Atomic pair top;
static atomic_uint next[8];
static void *push(void *node)
{
	unsigned n = (unsigned)(uintptr_t)node;
	pair old = LOAD(top);
	do
		atomic_store_explicit(&next[n], LOW(old), memory_order_relaxed);
	while (!REPLACE(top, &old, PAIR(n, HIGH(old) + 1)));
	return 0;
}
static void *pop(void *unused)
{
	pair old = LOAD(top);
	do
		if (!LOW(old))
			return 0;
	while (!REPLACE(top, &old, PAIR(atomic_load_explicit(&next[LOW(old)], memory_order_relaxed), HIGH(old) + 1)));
	return 0;
}
int main(void)
{
	run(4, (void *(*const[])(void *)){push, push, pop, pop});
	return 0;
}
";

const MESSAGES: &str = r"
static _Atomic pair x, y;
static void *one(void *unused)
{
	STORE(x, PAIR(1, 2));
	pair seen = LOAD(y);
	STORE(x, PAIR(3, HIGH(seen)));
	return 0;
}
static void *other(void *unused)
{
	EXCHANGE(y, PAIR(3, 4));
	pair seen = LOAD(x);
	REPLACE(x, &seen, PAIR(LOW(seen) + 1, 5));
	return 0;
}
static void *third(void *unused)
{
	STORE(x, PAIR(9, 9));
	STORE(y, PAIR(8, 8));
	return 0;
}
int main(void)
{
	run(3, (void *(*const[])(void *)){one, other, third});
	return 0;
}
";

const SUM: &str = r"
static _Atomic pair x;
static void *add(void *unused)
{
	atomic_fetch_add_explicit(&x, PAIR(1, 1), UPDATES);
	pair seen = LOAD(x);
	assert(LOW(seen) == HIGH(seen));
	return 0;
}
int main(void)
{
	run(3, (void *(*const[])(void *)){add, add, add});
	assert(LOAD(x) == PAIR(3, 3));
	return 0;
}
";

const ORDERS: [&str; 3] = [
    "-DLOADS=memory_order_seq_cst -DSTORES=memory_order_seq_cst -DUPDATES=memory_order_seq_cst",
    "-DLOADS=memory_order_acquire -DSTORES=memory_order_release -DUPDATES=memory_order_acq_rel",
    "-DLOADS=memory_order_relaxed -DSTORES=memory_order_relaxed -DUPDATES=memory_order_relaxed",
];

fn report(file: &str, model: &str, symmetry: &str, flags: &str) -> String {
    let flags = format!("--cflags={flags} -Wno-atomic-alignment");
    let run = treville(&["verify", file, "--model", model, "--symmetry", symmetry, &flags]);
    assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
    run.stdout
}

fn a_pair_of_words_is_a_word_of_two_halves() {
    for (name, text) in [("stack", STACK), ("messages", MESSAGES), ("sum", SUM)] {
        let file = write(&format!("pairs/{name}.c"), &format!("{PAIR}{text}"));
        for model in ["sc", "tso", "ra", "rc11"] {
            for (i, orders) in ORDERS.into_iter().enumerate() {
                let symmetry = if i == 0 { "off" } else { "on" };
                let narrow = report(&file, model, symmetry, &format!("-DNARROW {orders}"));
                // As calls of a library, or as instructions.
                for how in ["", "-mcx16 "] {
                    assert_eq!(
                        report(&file, model, symmetry, &format!("{how}{orders}")),
                        narrow,
                        "{name} {model} {orders}"
                    );
                }
            }
        }
    }
}

/// A lock whose two halves are also one word: a ticket is taken by adding to the word, the lock is given back by a store to
/// one half.
const TICKET: &str = r"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
static union {
	_Atomic uint32_t both;
	struct {
		_Atomic uint16_t owner, next;
	};
} lock;
static int counter;
static void *worker(void *unused)
{
	uint32_t seen = atomic_fetch_add_explicit(&lock.both, 1 << 16, TAKE);
	uint16_t ticket = seen >> 16;
	if ((uint16_t)seen != ticket)
		while (atomic_load_explicit(&lock.owner, TAKE) != ticket)
			;
	counter++;
	atomic_store_explicit(&lock.owner, ticket + 1, memory_order_release);
	return unused;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, worker, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	assert(counter == 3);
	return 0;
}
";

fn halves_of_a_word_are_accessed_alone() {
    let file = write("pairs/ticket.c", TICKET);
    for model in ["sc", "tso", "ra", "rc11"] {
        report(&file, model, "on", "-DTAKE=memory_order_acquire");
    }
    let run = treville(&["verify", &file, "--cflags=-DTAKE=memory_order_relaxed"]);
    assert!(run.stdout.contains("no, race: two accesses race"), "{}", run.stdout);
    // A story has a step for each access, with its value.
    assert!(run.stdout.contains("changes lock"), "{}", run.stdout);
}

const MISALIGNED: &str = r"
static struct {
	long before;
	unsigned __int128 wide;
} __attribute__((packed)) s;
int main(void)
{
	return (int)__atomic_load_n(&s.wide, __ATOMIC_RELAXED);
}
";

fn what_cannot_be_accessed_at_once_is_refused_with_its_place() {
    let file = write("pairs/misaligned.c", MISALIGNED);
    let run = treville(&["verify", &file, "--engine=explore", "--cflags=-Wno-atomic-alignment"]);
    assert_eq!(run.status, 3, "{}", run.stdout);
    assert!(run.stdout.contains("16 bytes at an address that is not a multiple of 16\n"), "{}", run.stdout);
    assert!(run.stdout.contains("misaligned.c:8:14: at this step\n"), "{}", run.stdout);
    let file = write("pairs/sum.c", &format!("{PAIR}{SUM}"));
    let flags = format!("--cflags=-Wno-atomic-alignment {}", ORDERS[0]);
    let run = treville(&["verify", &file, "--engine=explore", "--model=imm", &flags]);
    assert!(run.stdout.contains("an atomic access of 16 bytes is not explored under this model\n"), "{}", run.stdout);
    assert!(run.stdout.contains("sum.c:"), "{}", run.stdout);
}

const HALF: &str = r"
#include <assert.h>
#include <pthread.h>
static unsigned x;
static void *other(void *unused)
{
	__atomic_store_n(&x, 0x00010001u, __ATOMIC_RELAXED);
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, other, 0);
	unsigned short half = __atomic_load_n((unsigned short *)&x, __ATOMIC_RELAXED);
	unsigned whole = __atomic_load_n(&x, __ATOMIC_RELAXED);
	assert(whole >> 16 == (whole & 0xffff));
	return half;
}
";

fn nobody_tears_an_atomic_access() {
    let file = write("pairs/half.c", HALF);
    assert_eq!(treville(&["verify", &file, "--engine", "explore"]).status, 0);
    for engine in ["bmc", "enumerate"] {
        let run = treville(&["verify", &file, "--engine", engine]);
        assert_eq!(run.status, 3, "{engine}: {}", run.stdout);
    }
}
