/* Values that nothing determines, by handles: the interface of C. Leutenegger, "Enabling Automatic Verification of Concurrent
 * Data Structures" (2025), appendix A.
 *
 * Programs need none of this: what __VERIFIER_nondet_int() and its like return (treville_nondet_u32() in treville.h) may be
 * computed with, stored and passed on like any other number. With handles, where a program branches on such a value is written
 * down: at __VERIFIER_nondet_concretize(), and nowhere else.
 *
 * A Nondet that is given to one of these functions is moved, and used no more; __VERIFIER_nondet_clone() leaves it as it is. It
 * belongs to the thread that made it. One that was sent may be received by any thread, any number of times.
 *
 * `treville verify` finds this header by itself. Elsewhere a Nondet is its value, and a new one is 0. */
#ifndef TREVILLE_NONDET_H
#define TREVILLE_NONDET_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t Nondet;

#ifdef __TREVILLE__
#define TREVILLE_NONDET_1(name, value) extern Nondet __VERIFIER_nondet_##name(Nondet a);
#define TREVILLE_NONDET_2(name, value) extern Nondet __VERIFIER_nondet_##name(Nondet a, Nondet b);
/* Any value. */
extern Nondet __VERIFIER_nondet_new(void);
/* This value. */
extern Nondet __VERIFIER_nondet_concrete(uint64_t value);
/* Whether the value is not 0: the program goes on in both ways if both are possible. */
extern bool __VERIFIER_nondet_concretize(Nondet a);
/* Executions in which the condition is false are of no interest. */
extern void __VERIFIER_assume(int condition);
#else
#include <stdlib.h>
#define TREVILLE_NONDET_1(name, value) static inline Nondet __VERIFIER_nondet_##name(Nondet a) { return (Nondet)(value); }
#define TREVILLE_NONDET_2(name, value) \
	static inline Nondet __VERIFIER_nondet_##name(Nondet a, Nondet b) { return (Nondet)(value); }
static inline Nondet __VERIFIER_nondet_new(void) { return 0; }
static inline Nondet __VERIFIER_nondet_concrete(uint64_t value) { return value; }
static inline bool __VERIFIER_nondet_concretize(Nondet a) { return a != 0; }
static inline void __VERIFIER_assume(int condition)
{
	if (!condition)
		exit(0);
}
#endif

TREVILLE_NONDET_1(clone, a)
/* Makes it one that other threads may receive. */
TREVILLE_NONDET_1(send, a)
/* One of this thread's own with the value of one that was sent. */
TREVILLE_NONDET_1(receive, a)

TREVILLE_NONDET_1(not, !a)
TREVILLE_NONDET_2(conjunction, a && b)
TREVILLE_NONDET_2(disjunction, a || b)

TREVILLE_NONDET_2(add, a + b)
TREVILLE_NONDET_2(sub, a - b)
TREVILLE_NONDET_2(mul, a * b)
/* Division by 0 gives 0, and leaves what was divided. */
TREVILLE_NONDET_2(udiv, b ? a / b : 0)
TREVILLE_NONDET_2(sdiv, !b ? 0 : b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b))
TREVILLE_NONDET_2(urem, b ? a % b : a)
TREVILLE_NONDET_2(srem, !b ? a : b == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)b))
TREVILLE_NONDET_2(and, a & b)
TREVILLE_NONDET_2(or, a | b)
TREVILLE_NONDET_2(xor, a ^ b)
/* Shifts by 64 or more leave nothing but copies of the sign, if that is shifted. */
TREVILLE_NONDET_2(shl, b < 64 ? a << b : 0)
TREVILLE_NONDET_2(lshr, b < 64 ? a >> b : 0)
TREVILLE_NONDET_2(ashr, (uint64_t)((int64_t)a >> (b < 64 ? b : 63)))

/* 1 or 0. */
TREVILLE_NONDET_2(eq, a == b)
TREVILLE_NONDET_2(ne, a != b)
TREVILLE_NONDET_2(ult, a < b)
TREVILLE_NONDET_2(ule, a <= b)
TREVILLE_NONDET_2(ugt, a > b)
TREVILLE_NONDET_2(uge, a >= b)
TREVILLE_NONDET_2(slt, (int64_t)a < (int64_t)b)
TREVILLE_NONDET_2(sle, (int64_t)a <= (int64_t)b)
TREVILLE_NONDET_2(sgt, (int64_t)a > (int64_t)b)
TREVILLE_NONDET_2(sge, (int64_t)a >= (int64_t)b)

#ifdef __cplusplus
}
#endif

#endif
