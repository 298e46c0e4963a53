/* Keys of the set: integers T1 to T4; any values, with HANDLES by the explicit interface; any values, with UNKNOWN as plain C. */
#ifndef KEY_H
#define KEY_H
#include <stdbool.h>
#include <stdint.h>

#ifdef HANDLES
#include <treville_nondet.h>
typedef Nondet key_type;

/* Keys in the list have been sent; every use receives a copy of its own. */
static inline key_type key_of(uint64_t value)
{
	return __VERIFIER_nondet_send(__VERIFIER_nondet_concrete(value));
}

static inline bool key_less(key_type a, key_type b)
{
	Nondet less = __VERIFIER_nondet_ult(__VERIFIER_nondet_receive(a), __VERIFIER_nondet_receive(b));
	return __VERIFIER_nondet_concretize(less);
}

static inline bool key_equal(key_type a, key_type b)
{
	Nondet equal = __VERIFIER_nondet_eq(__VERIFIER_nondet_receive(a), __VERIFIER_nondet_receive(b));
	return __VERIFIER_nondet_concretize(equal);
}

static inline key_type key_number(int i)
{
	(void)i;
	Nondet key = __VERIFIER_nondet_new();
	Nondet low = __VERIFIER_nondet_ult(__VERIFIER_nondet_concrete(0), __VERIFIER_nondet_clone(key));
	Nondet high = __VERIFIER_nondet_ult(__VERIFIER_nondet_clone(key), __VERIFIER_nondet_concrete(UINT64_MAX));
	__VERIFIER_assume(__VERIFIER_nondet_concretize(__VERIFIER_nondet_conjunction(low, high)));
	return __VERIFIER_nondet_send(key);
}
#else
typedef uint64_t key_type;

static inline key_type key_of(uint64_t value) { return value; }
static inline bool key_less(key_type a, key_type b) { return a < b; }
static inline bool key_equal(key_type a, key_type b) { return a == b; }

#ifdef UNKNOWN
#include <treville.h>
static inline key_type key_number(int i)
{
	(void)i;
	uint64_t key = treville_nondet_u64();
	treville_assume(0 < key && key < UINT64_MAX);
	return key;
}
#else
#ifndef T1
#define T1 1
#define T2 2
#define T3 1
#define T4 2
#endif
static inline key_type key_number(int i)
{
	static const key_type keys[4] = { T1, T2, T3, T4 };
	return keys[i];
}
#endif
#endif

#endif
