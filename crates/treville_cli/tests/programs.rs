//! Options and outputs that only programs have.

mod common;

use common::{has_clang, treville, write};

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

#[test]
fn a_weak_exchange_fails_for_no_reason_on_request() {
    if !has_clang() {
        return;
    }
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

#[test]
fn accesses_outside_of_every_object_are_found() {
    if !has_clang() {
        return;
    }
    let file = write("programs/wild.c", WILD);
    for engine in ["explore", "bmc"] {
        let run = treville(&["verify", &file, "--engine", engine, "--cflags=-DFACTOR=1000"]);
        assert!(run.stdout.contains("no, invalid-access: "), "{engine}: {}", run.stdout);
        let run = treville(&["verify", &file, "--engine", engine, "--cflags=-DFACTOR=0"]);
        assert_eq!(run.status, 0, "{engine}: {}", run.stdout);
    }
}

#[test]
fn properties_narrow_what_is_looked_for() {
    if !has_clang() {
        return;
    }
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

#[test]
fn flags_of_the_model_are_violations() {
    if !has_clang() {
        return;
    }
    let model = write("programs/flag.cat", FLAG);
    let run = treville(&["verify", "cases/guide/message.c", "--json", "--model", &model, "--property=flag"]);
    assert_eq!(run.status, 1, "{}", run.stdout);
    assert!(run.stdout.contains("\"violation\":{\"kind\":\"flag\",\"name\":\"relaxed-access\""), "{}", run.stdout);
    let run = treville(&["verify", "cases/guide/message.c", "--json", "--model", &model, "--property=assertion"]);
    assert_eq!(run.status, 0, "{}", run.stdout);
}

#[test]
fn executions_of_programs_are_drawn_and_listed() {
    if !has_clang() {
        return;
    }
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

#[test]
fn what_a_bound_cut_is_said() {
    if !has_clang() {
        return;
    }
    let run = treville(&["verify", "cases/bad-input/counting.c", "--bound=3"]);
    assert_eq!(run.status, 3, "{}", run.stdout);
    assert!(run.stdout.contains("cases/bad-input/counting.c:8:3: a loop around this was cut\n"), "{}", run.stdout);
    let run = treville(&["verify", "cases/bad-input/counting.c", "--bound=3", "--accept-bounded", "--json"]);
    assert_eq!(run.status, 0, "{}", run.stdout);
    assert!(
        run.stdout.contains("\"scope\":\"bounded\",\"relative_to\":[\"loops run at most 3 times\"]"),
        "{}",
        run.stdout
    );
}
