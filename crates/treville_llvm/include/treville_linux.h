/* What the Linux kernel gives its code to order memory with, for programs that are checked under the model linux-kernel.
 *
 * `treville verify` finds this header by itself. Threads are those of pthread.h. Only what it has a meaning for is here: other
 * parts of the kernel do not come with it. */
#ifndef TREVILLE_LINUX_H
#define TREVILLE_LINUX_H

#include <stddef.h>
#include <stdint.h>

/* Orders and operators, by number. */
enum {
	LINUX_ONCE,
	LINUX_ACQUIRE,
	LINUX_RELEASE,
	LINUX_MB,
	LINUX_WMB,
	LINUX_RMB,
	LINUX_RCU_LOCK,
	LINUX_RCU_UNLOCK,
	LINUX_RCU_SYNC,
	LINUX_BEFORE_ATOMIC,
	LINUX_AFTER_ATOMIC,
	LINUX_AFTER_SPINLOCK,
	LINUX_BARRIER,
	LINUX_AFTER_UNLOCK_LOCK
};
enum { LINUX_ADD, LINUX_SUB, LINUX_AND, LINUX_OR, LINUX_XOR };

/* What the verifier knows. Sizes, orders and operators must be constants. */
intmax_t __LKMM_load(const volatile void *at, size_t size, int order);
void __LKMM_store(volatile void *at, size_t size, intmax_t value, int order);
intmax_t __LKMM_xchg(volatile void *at, size_t size, intmax_t value, int order);
intmax_t __LKMM_cmpxchg(volatile void *at, size_t size, intmax_t old, intmax_t value, int order, int failure);
void __LKMM_atomic_op(volatile void *at, size_t size, intmax_t value, int op);
intmax_t __LKMM_atomic_op_return(volatile void *at, size_t size, intmax_t value, int order, int op);
intmax_t __LKMM_atomic_fetch_op(volatile void *at, size_t size, intmax_t value, int order, int op);
void __LKMM_fence(int order);

/* Accesses that the compiler must leave alone. */
#define LINUX_LOAD(at, order) ((__typeof__(*(at)))__LKMM_load((at), sizeof(*(at)), (order)))
#define LINUX_STORE(at, value, order) __LKMM_store((at), sizeof(*(at)), (intmax_t)(value), (order))
#define READ_ONCE(x) LINUX_LOAD(&(x), LINUX_ONCE)
#define WRITE_ONCE(x, value) LINUX_STORE(&(x), value, LINUX_ONCE)
#define smp_load_acquire(at) LINUX_LOAD(at, LINUX_ACQUIRE)
#define smp_store_release(at, value) LINUX_STORE(at, value, LINUX_RELEASE)
#define smp_store_mb(x, value) (WRITE_ONCE(x, value), smp_mb())

/* Fences. */
#define barrier() __LKMM_fence(LINUX_BARRIER)
#define smp_mb() __LKMM_fence(LINUX_MB)
#define smp_rmb() __LKMM_fence(LINUX_RMB)
#define smp_wmb() __LKMM_fence(LINUX_WMB)
#define smp_mb__before_atomic() __LKMM_fence(LINUX_BEFORE_ATOMIC)
#define smp_mb__after_atomic() __LKMM_fence(LINUX_AFTER_ATOMIC)
#define smp_mb__after_spinlock() __LKMM_fence(LINUX_AFTER_SPINLOCK)
#define smp_mb__after_unlock_lock() __LKMM_fence(LINUX_AFTER_UNLOCK_LOCK)

/* Read-copy-update. */
#define rcu_read_lock() __LKMM_fence(LINUX_RCU_LOCK)
#define rcu_read_unlock() __LKMM_fence(LINUX_RCU_UNLOCK)
#define synchronize_rcu() __LKMM_fence(LINUX_RCU_SYNC)
#define rcu_dereference(x) READ_ONCE(x)
#define rcu_assign_pointer(x, value) smp_store_release(&(x), value)

/* Exchanges of any object. */
#define LINUX_XCHG(at, value, order) \
	((__typeof__(*(at)))__LKMM_xchg((at), sizeof(*(at)), (intmax_t)(value), (order)))
#define LINUX_CMPXCHG(at, old, value, order) \
	((__typeof__(*(at)))__LKMM_cmpxchg((at), sizeof(*(at)), (intmax_t)(old), (intmax_t)(value), (order), (order)))
#define xchg(at, value) LINUX_XCHG(at, value, LINUX_MB)
#define xchg_relaxed(at, value) LINUX_XCHG(at, value, LINUX_ONCE)
#define xchg_acquire(at, value) LINUX_XCHG(at, value, LINUX_ACQUIRE)
#define xchg_release(at, value) LINUX_XCHG(at, value, LINUX_RELEASE)
#define cmpxchg(at, old, value) LINUX_CMPXCHG(at, old, value, LINUX_MB)
#define cmpxchg_relaxed(at, old, value) LINUX_CMPXCHG(at, old, value, LINUX_ONCE)
#define cmpxchg_acquire(at, old, value) LINUX_CMPXCHG(at, old, value, LINUX_ACQUIRE)
#define cmpxchg_release(at, old, value) LINUX_CMPXCHG(at, old, value, LINUX_RELEASE)

/* Counters. */
typedef struct {
	int counter;
} atomic_t;
#define ATOMIC_INIT(value) { (value) }
#define atomic_read(v) READ_ONCE((v)->counter)
#define atomic_read_acquire(v) smp_load_acquire(&(v)->counter)
#define atomic_set(v, value) WRITE_ONCE((v)->counter, value)
#define atomic_set_release(v, value) smp_store_release(&(v)->counter, value)
#define atomic_xchg(v, value) xchg(&(v)->counter, value)
#define atomic_cmpxchg(v, old, value) cmpxchg(&(v)->counter, old, value)

#define LINUX_OP(v, i, op) __LKMM_atomic_op(&(v)->counter, sizeof(int), (i), (op))
#define LINUX_RETURN(v, i, order, op) ((int)__LKMM_atomic_op_return(&(v)->counter, sizeof(int), (i), (order), (op)))
#define LINUX_FETCH(v, i, order, op) ((int)__LKMM_atomic_fetch_op(&(v)->counter, sizeof(int), (i), (order), (op)))
#define atomic_add(i, v) LINUX_OP(v, i, LINUX_ADD)
#define atomic_sub(i, v) LINUX_OP(v, i, LINUX_SUB)
#define atomic_and(i, v) LINUX_OP(v, i, LINUX_AND)
#define atomic_or(i, v) LINUX_OP(v, i, LINUX_OR)
#define atomic_xor(i, v) LINUX_OP(v, i, LINUX_XOR)
#define atomic_inc(v) atomic_add(1, v)
#define atomic_dec(v) atomic_sub(1, v)
#define atomic_add_return(i, v) LINUX_RETURN(v, i, LINUX_MB, LINUX_ADD)
#define atomic_add_return_relaxed(i, v) LINUX_RETURN(v, i, LINUX_ONCE, LINUX_ADD)
#define atomic_add_return_acquire(i, v) LINUX_RETURN(v, i, LINUX_ACQUIRE, LINUX_ADD)
#define atomic_add_return_release(i, v) LINUX_RETURN(v, i, LINUX_RELEASE, LINUX_ADD)
#define atomic_sub_return(i, v) LINUX_RETURN(v, i, LINUX_MB, LINUX_SUB)
#define atomic_inc_return(v) atomic_add_return(1, v)
#define atomic_dec_return(v) atomic_sub_return(1, v)
#define atomic_dec_and_test(v) (atomic_dec_return(v) == 0)
#define atomic_fetch_add(i, v) LINUX_FETCH(v, i, LINUX_MB, LINUX_ADD)
#define atomic_fetch_add_relaxed(i, v) LINUX_FETCH(v, i, LINUX_ONCE, LINUX_ADD)
#define atomic_fetch_add_acquire(i, v) LINUX_FETCH(v, i, LINUX_ACQUIRE, LINUX_ADD)
#define atomic_fetch_add_release(i, v) LINUX_FETCH(v, i, LINUX_RELEASE, LINUX_ADD)
#define atomic_fetch_sub(i, v) LINUX_FETCH(v, i, LINUX_MB, LINUX_SUB)
#define atomic_fetch_or(i, v) LINUX_FETCH(v, i, LINUX_MB, LINUX_OR)
#define atomic_fetch_and(i, v) LINUX_FETCH(v, i, LINUX_MB, LINUX_AND)

/* Spin locks. */
typedef struct {
	int taken;
} spinlock_t;
#define DEFINE_SPINLOCK(name) spinlock_t name = { 0 }
int __LKMM_SPIN_LOCK(spinlock_t *lock);
int __LKMM_SPIN_UNLOCK(spinlock_t *lock);
int __LKMM_SPIN_TRYLOCK(spinlock_t *lock);
#define spin_lock(lock) ((void)__LKMM_SPIN_LOCK(lock))
#define spin_unlock(lock) ((void)__LKMM_SPIN_UNLOCK(lock))
#define spin_trylock(lock) __LKMM_SPIN_TRYLOCK(lock)

#endif
