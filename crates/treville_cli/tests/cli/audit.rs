//! `--audit`: random executions of programs in C are all among those that were explored.

use crate::common::{case, treville, write};
use treville_trials::{Trial, test};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        test!(all_executions_of_small_programs_are_sampled, Clang),
        test!(executions_of_programs_that_fail_are_audited, Clang),
        test!(only_programs_are_audited),
    ]
}

const LOCKS: &str = r"
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int d;
static void *add(void *u)
{
	pthread_mutex_lock(&m);
	d = 2 * d + (u ? 1 : 0);
	pthread_mutex_unlock(&m);
	return 0;
}
int main(void)
{
	pthread_t t[3];
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], 0, add, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
";

const STACK: &str = r"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { struct node *next; int value; };
static _Atomic(struct node *) top;
static void push(int value)
{
	struct node *n = malloc(sizeof *n);
	n->value = value;
	struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
	do
		n->next = old;
	while (!atomic_compare_exchange_strong_explicit(&top, &old, n, memory_order_release, memory_order_relaxed));
}
static int pop(void)
{
	struct node *old = atomic_load_explicit(&top, memory_order_acquire);
	while (old && !atomic_compare_exchange_strong_explicit(&top, &old, old->next, memory_order_acquire,
							       memory_order_acquire))
		;
	return old ? old->value : 0;
}
static void *one(void *u)
{
	push(1);
	pop();
	return 0;
}
static void *two(void *u)
{
	push(2);
	return 0;
}
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, one, 0);
	pthread_create(&u, 0, two, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
";

/// A number in a line of JSON.
fn number(json: &str, key: &str) -> u64 {
    let at = json.find(&format!("\"{key}\":")).unwrap_or_else(|| panic!("no {key} in {json}"));
    let digits: String = json[at + key.len() + 3..].chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("no number at {key} in {json}"))
}

fn all_executions_of_small_programs_are_sampled() {
    for (name, text) in [("locks", LOCKS), ("stack", STACK)] {
        let file = write(&format!("audit/{name}.c"), text);
        for model in ["sc", "tso", "ra", "rc11", "imm", "aarch64"] {
            let bounded = ["--reductions", "none", "--bound", "2", "--accept-bounded"];
            let call = ["verify", &file, "--model", model, "--audit", "3000", "--json"];
            let run = treville(&[&call[..], &bounded].concat());
            assert_eq!(run.status, 0, "{model}: {}{}", run.stdout, run.stderr);
            let (classes, visited) = (number(&run.stdout, "classes"), number(&run.stdout, "visited"));
            assert_eq!((classes, visited), (visited, number(&run.stdout, "executions")), "{name} under {model}");
            let run = treville(&call);
            assert_eq!(run.status, 0, "{model}: {}{}", run.stdout, run.stderr);
            assert!(run.stdout.contains(r#""audit":{"compared":"states","samples":3000"#), "{}", run.stdout);
        }
    }
}

fn executions_of_programs_that_fail_are_audited() {
    let run = treville(&["verify", &case("message.c"), "--audit", "10"]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert!(run.stdout.contains("  audited: 10 random executions"), "{}", run.stdout);
}

fn only_programs_are_audited() {
    let run = treville(&["verify", &case("SB+mfences.litmus"), "--audit", "10"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("--audit is about programs"), "{}", run.stderr);
}
