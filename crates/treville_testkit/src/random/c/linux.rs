//! The C of the Linux kernel: marked and plain accesses, barriers, atomics, spinlocks, RCU and SRCU.

use super::Library;
use crate::random::{Features, Section, Sketch, Syntax, Update};

#[derive(Debug)]
pub(crate) struct Linux;

const FENCES: [&str; 10] = [
    "barrier()",
    "smp_rmb()",
    "smp_wmb()",
    "smp_mb()",
    "smp_mb__before_atomic()",
    "smp_mb__after_atomic()",
    "smp_mb__after_spinlock()",
    "smp_mb__after_unlock_lock()",
    "synchronize_rcu()",
    SYNCHRONIZE_SRCU,
];
const SYNCHRONIZE_SRCU: &str = "synchronize_srcu(s)";
const SRCU: &str = "struct srcu_struct* s";
const SUFFIXES: [&str; 4] = ["_relaxed", "_acquire", "_release", ""];

const FEATURES: Features = Features {
    loads: 4,
    stores: 4,
    fences: FENCES.len(),
    updates: &[
        Update::new(4),
        Update::may_fail(4),
        Update::new(4),
        Update::new(4),
        Update::new(1),
        Update::may_fail(1),
    ],
    sections: &[
        Section { is_lock: false, may_fail: false },
        Section { is_lock: true, may_fail: false },
        Section { is_lock: true, may_fail: false },
        Section { is_lock: true, may_fail: true },
    ],
    addresses: true,
    pointers: true,
    mixed: false,
};

impl Syntax for Linux {
    fn name(&self) -> &'static str {
        "LKMM"
    }

    fn features(&self) -> &'static Features {
        &FEATURES
    }

    fn models(&self) -> &'static [&'static str] {
        &["linux-kernel", "sc"]
    }

    fn is_kernel(&self) -> bool {
        true
    }

    fn write(&self, sketch: &Sketch) -> Option<String> {
        super::write(self, sketch)
    }
}

impl Library for Linux {
    fn types(&self) -> (&'static str, &'static str) {
        ("int", "int*")
    }

    fn load(&self, order: usize, place: &str) -> String {
        match order {
            0 => format!("READ_ONCE(*{place})"),
            1 => format!("*{place}"),
            2 => format!("rcu_dereference(*{place})"),
            _ => format!("smp_load_acquire({place})"),
        }
    }

    fn store(&self, order: usize, place: &str, value: &str) -> String {
        match order {
            0 => format!("WRITE_ONCE(*{place}, {value})"),
            1 => format!("*{place} = {value}"),
            2 => format!("rcu_assign_pointer(*{place}, {value})"),
            _ => format!("smp_store_release({place}, {value})"),
        }
    }

    fn fence(&self, kind: usize) -> String {
        FENCES[kind].to_owned()
    }

    fn fence_parameter(&self, kind: usize) -> Option<&'static str> {
        (FENCES[kind] == SYNCHRONIZE_SRCU).then_some(SRCU)
    }

    fn update(&self, (op, order): (usize, usize), to: &str, place: &str, value: &str) -> Vec<String> {
        let suffix = SUFFIXES[order];
        let call = match op {
            0 => format!("{to} = xchg{suffix}({place}, {value})"),
            1 => format!("{to} = cmpxchg{suffix}({place}, 0, {value})"),
            2 => format!("{to} = atomic_fetch_add{suffix}({value}, {place})"),
            3 => format!("{to} = atomic_add_return{suffix}({value}, {place})"),
            4 => format!("atomic_add({value}, {place})"),
            _ => format!("{to} = atomic_add_unless({place}, {value}, 1)"),
        };
        vec![call]
    }

    fn section(&self, kind: usize, own: &str) -> (String, String) {
        match kind {
            0 => ("rcu_read_lock()".into(), "rcu_read_unlock()".into()),
            1 => ("spin_lock(l)".into(), "spin_unlock(l)".into()),
            2 => (format!("{own} = srcu_read_lock(s)"), format!("srcu_read_unlock(s, {own})")),
            _ => (format!("{own} = spin_trylock(l)"), "spin_unlock(l)".into()),
        }
    }

    fn section_parameter(&self, kind: usize) -> Option<&'static str> {
        match kind {
            0 => None,
            2 => Some(SRCU),
            _ => Some("spinlock_t* l"),
        }
    }
}
