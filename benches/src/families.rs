//! The growth families: for each, the litmus test of size `n`, as text. Each grows along one axis that makes enumeration
//! explode: updates of one location, locks, writes that a reader may see, readers, threads, parts of an access.

use std::fmt::Write;

/// A family of tests.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// The model to judge by, under its name in treville.
    pub(crate) model: &'static str,
    /// Whether accesses of different sizes overlap: the peer has to be told.
    pub(crate) mixed: bool,
    /// The smallest and the largest `n` that are tried.
    pub(crate) sizes: (usize, usize),
    pub(crate) test: fn(usize) -> String,
}

pub(crate) const FAMILIES: &[Family] = &[
    Family {
        name: "c-updates",
        about: "n threads of C, each one fetch_add on one location",
        model: "c11",
        mixed: false,
        sizes: (2, 14),
        test: |n| increments(n, 1),
    },
    Family {
        name: "c-increments",
        about: "two threads of C, each n fetch_adds on one location",
        model: "c11",
        mixed: false,
        sizes: (1, 12),
        test: |n| increments(2, n),
    },
    Family {
        name: "rc11-updates",
        about: "n threads of C, each one fetch_add on one location, under rc11",
        model: "rc11",
        mixed: false,
        sizes: (2, 14),
        test: |n| increments(n, 1),
    },
    Family {
        name: "linux-locks",
        about: "n kernel threads, each increments a counter under one spinlock",
        model: "linux-kernel",
        mixed: false,
        sizes: (2, 14),
        test: locks,
    },
    Family {
        name: "linux-rcu",
        about: "a ring of n kernel threads, grace periods and RCU readers in turn",
        model: "linux-kernel",
        mixed: false,
        sizes: (2, 24),
        test: rcu,
    },
    Family {
        name: "x86-corr",
        about: "n writers of one location, one thread reads it twice",
        model: "tso",
        mixed: false,
        sizes: (1, 16),
        test: |n| corr(n, 1),
    },
    Family {
        name: "x86-corr-all",
        about: "n writers of one location, n threads read it twice each",
        model: "tso",
        mixed: false,
        sizes: (1, 10),
        test: |n| corr(n, n),
    },
    Family {
        name: "x86-sb",
        about: "store buffering in a ring of n threads",
        model: "tso",
        mixed: false,
        sizes: (2, 20),
        test: store_buffering,
    },
    Family {
        name: "x86-2+2w",
        about: "2+2W in a ring of n threads",
        model: "tso",
        mixed: false,
        sizes: (2, 20),
        test: two_plus_two_writes,
    },
    Family {
        name: "power-lb",
        about: "load buffering in a ring of n threads",
        model: "power",
        mixed: false,
        sizes: (2, 20),
        test: load_buffering,
    },
    Family {
        name: "aarch64-iriw",
        about: "two writers, n readers that read both locations in turn orders",
        model: "aarch64",
        mixed: false,
        sizes: (2, 16),
        test: independent_reads,
    },
    Family {
        name: "aarch64-mixed",
        about: "n threads write halves of a doubleword, one reads all of it twice",
        model: "aarch64",
        mixed: true,
        sizes: (1, 14),
        test: halves,
    },
];

/// `threads` threads with `each` increments; asks whether the last of them can find the counter untouched.
fn increments(threads: usize, each: usize) -> String {
    let mut text = format!("C increments-{threads}x{each}\n\n{{ }}\n");
    for thread in 0..threads {
        let _ = write!(text, "\nP{thread} (atomic_int* x) {{\n");
        for step in 0..each {
            let _ = writeln!(text, "  int r{step} = atomic_fetch_add_explicit(x, 1, memory_order_relaxed);");
        }
        text.push_str("}\n");
    }
    let _ = write!(text, "\nexists (x={} /\\ {}:r{}=0)\n", threads * each, threads - 1, each - 1);
    text
}

fn locks(n: usize) -> String {
    let mut text = format!("C locks-{n}\n\n{{ }}\n");
    for thread in 0..n {
        let _ = write!(
            text,
            "\nP{thread} (spinlock_t *s, int *x)\n{{\n\tint r0;\n\n\tspin_lock(s);\n\tr0 = READ_ONCE(*x);\n\
             \tWRITE_ONCE(*x, r0 + 1);\n\tspin_unlock(s);\n}}\n"
        );
    }
    let _ = write!(text, "\nexists (~x={n})\n");
    text
}

/// Thread i reads x_i and writes x_(i+1); forbidden if there are at least as many grace periods as readers.
fn rcu(n: usize) -> String {
    let mut text = format!("C rcu-{n}\n\n{{ }}\n");
    for thread in 0..n {
        let (read, written) = (thread, (thread + 1) % n);
        let _ = write!(text, "\nP{thread} (int *x{read}, int *x{written})\n{{\n\tint r0;\n\n");
        let (first, between, last) = match thread % 2 {
            0 => ("", "\tsynchronize_rcu();\n", ""),
            _ => ("\trcu_read_lock();\n", "", "\trcu_read_unlock();\n"),
        };
        let _ = write!(text, "{first}\tr0 = READ_ONCE(*x{read});\n{between}\tWRITE_ONCE(*x{written}, 1);\n{last}}}\n");
    }
    let all: Vec<String> = (0..n).map(|t| format!("{t}:r0=1")).collect();
    let _ = write!(text, "\nexists ({})\n", all.join(" /\\ "));
    text
}

/// `n` writers; asks whether the first of the readers can see a write and then the initial value.
fn corr(n: usize, readers: usize) -> String {
    let mut threads: Vec<Vec<String>> = (1..=n).map(|v| vec![format!("MOV [x],${v}")]).collect();
    threads.extend(vec![vec!["MOV EAX,[x]".to_owned(), "MOV EBX,[x]".to_owned()]; readers]);
    machine("X86", &format!("corr-{n}-{readers}"), "", &threads, &format!("{n}:EAX=1 /\\ {n}:EBX=0"))
}

fn store_buffering(n: usize) -> String {
    let thread = |i: usize| vec![format!("MOV [x{i}],$1"), format!("MOV EAX,[x{}]", (i + 1) % n)];
    let threads: Vec<Vec<String>> = (0..n).map(thread).collect();
    machine("X86", &format!("sb-{n}"), "", &threads, &each(n, |i| format!("{i}:EAX=0")))
}

fn two_plus_two_writes(n: usize) -> String {
    let thread = |i: usize| vec![format!("MOV [x{i}],$2"), format!("MOV [x{}],$1", (i + 1) % n)];
    let threads: Vec<Vec<String>> = (0..n).map(thread).collect();
    machine("X86", &format!("2+2w-{n}"), "", &threads, &each(n, |i| format!("x{i}=2")))
}

fn load_buffering(n: usize) -> String {
    let mut init = String::new();
    for i in 0..n {
        let _ = writeln!(init, "{i}:r2=x{i}; {i}:r4=x{};", (i + 1) % n);
    }
    let threads: Vec<Vec<String>> =
        (0..n).map(|_| vec!["lwz r1,0(r2)".into(), "li r3,1".into(), "stw r3,0(r4)".into()]).collect();
    machine("PPC", &format!("lb-{n}"), &init, &threads, &each(n, |i| format!("{i}:r1=1")))
}

fn independent_reads(n: usize) -> String {
    let mut init = String::from("0:X1=x; 1:X1=y;\n");
    let mut threads: Vec<Vec<String>> = vec![vec!["MOV W0,#1".into(), "STR W0,[X1]".into()]; 2];
    for reader in 2..n + 2 {
        let (first, second) = if reader % 2 == 0 { ("x", "y") } else { ("y", "x") };
        let _ = writeln!(init, "{reader}:X1={first}; {reader}:X3={second};");
        threads.push(vec!["LDR W0,[X1]".into(), "DMB SY".into(), "LDR W2,[X3]".into()]);
    }
    let condition = each(n, |i| format!("{0}:X0=1 /\\ {0}:X2=0", i + 2));
    machine("AArch64", &format!("iriw-{n}"), &init, &threads, &condition)
}

fn halves(n: usize) -> String {
    let mut init = format!("uint64_t x; uint64_t {n}:X0; uint64_t {n}:X2;\n");
    let mut threads: Vec<Vec<String>> = Vec::new();
    for writer in 0..n {
        let _ = writeln!(init, "{writer}:X1=x;");
        threads.push(vec![format!("MOV W0,#{}", writer + 1), format!("STR W0,[X1,#{}]", 4 * (writer % 2))]);
    }
    let _ = writeln!(init, "{n}:X1=x;");
    threads.push(vec!["LDR X0,[X1]".into(), "LDR X2,[X1]".into()]);
    machine("AArch64", &format!("halves-{n}"), &init, &threads, &format!("{n}:X0=1 /\\ {n}:X2=0"))
}

fn each(n: usize, atom: impl Fn(usize) -> String) -> String {
    (0..n).map(atom).collect::<Vec<_>>().join(" /\\ ")
}

/// A test in a machine dialect: the threads as columns.
fn machine(dialect: &str, name: &str, init: &str, threads: &[Vec<String>], condition: &str) -> String {
    let mut text = format!("{dialect} {name}\n{{\n{init}}}\n");
    let heads = (0..threads.len()).map(|t| format!("P{t}")).collect();
    let rows = threads.iter().map(Vec::len).max().unwrap_or(0);
    let row = |r: usize| threads.iter().map(|t| t.get(r).cloned().unwrap_or_default()).collect::<Vec<_>>();
    for cells in std::iter::once(heads).chain((0..rows).map(row)) {
        let _ = writeln!(text, " {} ;", cells.join(" | "));
    }
    let _ = write!(text, "exists ({condition})\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_sizes_make_sense() {
        for (i, family) in FAMILIES.iter().enumerate() {
            assert!(family.sizes.0 < family.sizes.1, "{}", family.name);
            assert!(FAMILIES[..i].iter().all(|f| f.name != family.name), "{}", family.name);
        }
    }

    #[test]
    fn a_machine_test_has_one_column_a_thread() {
        assert_eq!(
            corr(1, 1),
            "X86 corr-1-1\n{\n}\n P0 | P1 ;\n MOV [x],$1 | MOV EAX,[x] ;\n  | MOV EBX,[x] ;\nexists (1:EAX=1 /\\ 1:EBX=0)\n"
        );
    }
}
