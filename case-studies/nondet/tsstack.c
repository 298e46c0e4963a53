/* A stack of time stamps (after Dodds, Haas and Kirsch, POPL 2015): each writer has a pool of its own, and a pop takes the youngest
 * element that it sees by exchanging its flag.
 *
 * A stamp is the next number of one counter, or with STUTTER one more than the largest of all threads' last stamps, so that two may be
 * equal. With HANDLES a stamp is any value that is large enough: above the last one, or above the own last one.
 * Two writers push twice each, a reader pops once (READERS=2: twice). If taking is not an exchange (WEAK_TAKE), two readers
 * get the same element.
 *
 * verify                                                   yes 746+0
 * verify --cflags=-DSTUTTER                                yes 2589+0
 * verify --cflags=-DHANDLES                                yes 4170+0
 * verify --cflags="-DHANDLES -DSTUTTER"                    yes 187+0
 * verify --cflags="-DPUSHES=1 -DREADERS=2 -DWEAK_TAKE"     no assertion
 * verify --cflags="-DHANDLES -DPUSHES=1 -DREADERS=2 -DWEAK_TAKE"  no assertion
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef PUSHES
#define PUSHES 2
#endif
#ifndef READERS
#define READERS 1
#endif
#define ELEMENTS (WRITERS * PUSHES)
#define TOP UINT64_MAX

typedef uint64_t stamp_type;

struct element {
	int value;
	_Atomic stamp_type stamp;
	atomic_int taken;
	struct element *next;
};

static struct element *_Atomic pools[WRITERS];
static stamp_type top_stamp;

#ifdef HANDLES
#include <treville_nondet.h>

static bool is_younger(stamp_type a, stamp_type b)
{
	Nondet less = __VERIFIER_nondet_ult(__VERIFIER_nondet_receive(b), __VERIFIER_nondet_receive(a));
	return __VERIFIER_nondet_concretize(less);
}

static stamp_type stamp_of(uint64_t value)
{
	return __VERIFIER_nondet_send(__VERIFIER_nondet_concrete(value));
}

/* Some stamp above another. */
static stamp_type above(stamp_type low)
{
	Nondet stamp = __VERIFIER_nondet_new();
	Nondet more = __VERIFIER_nondet_ult(__VERIFIER_nondet_receive(low), __VERIFIER_nondet_clone(stamp));
	__VERIFIER_assume(__VERIFIER_nondet_concretize(more));
	Nondet less = __VERIFIER_nondet_ult(__VERIFIER_nondet_clone(stamp), __VERIFIER_nondet_concrete(TOP));
	__VERIFIER_assume(__VERIFIER_nondet_concretize(less));
	return __VERIFIER_nondet_send(stamp);
}

#ifdef STUTTER
static stamp_type own[WRITERS + READERS];

static stamp_type new_stamp(int me)
{
	return own[me] = above(own[me]);
}

static void init_stamps(void)
{
	for (int i = 0; i < WRITERS + READERS; i++)
		own[i] = stamp_of(0);
	top_stamp = stamp_of(TOP);
}
#else
static _Atomic stamp_type last;

static stamp_type new_stamp(int me)
{
	(void)me;
	stamp_type stamp = above(atomic_load_explicit(&last, memory_order_relaxed));
	/* Ours is above the one that it replaces. */
	stamp_type previous = atomic_exchange_explicit(&last, stamp, memory_order_acq_rel);
	__VERIFIER_assume(is_younger(stamp, previous));
	return stamp;
}

static void init_stamps(void)
{
	atomic_init(&last, stamp_of(0));
	top_stamp = stamp_of(TOP);
}
#endif
#else
static _Bool is_younger(stamp_type a, stamp_type b)
{
	return b < a;
}

#ifdef STUTTER
static _Atomic stamp_type own[WRITERS + READERS];

static stamp_type new_stamp(int me)
{
	stamp_type largest = 0;
	for (int i = 0; i < WRITERS + READERS; i++) {
		stamp_type other = atomic_load_explicit(&own[i], memory_order_acquire);
		if (other > largest)
			largest = other;
	}
	atomic_store_explicit(&own[me], largest + 1, memory_order_release);
	return largest + 1;
}
#else
static _Atomic stamp_type count;

static stamp_type new_stamp(int me)
{
	(void)me;
	return atomic_fetch_add_explicit(&count, 1, memory_order_acq_rel) + 1;
}
#endif

static void init_stamps(void)
{
	top_stamp = TOP;
}
#endif

/* A pool is a list whose last element points to itself. */
static void push(int me, int value)
{
	struct element *element = malloc(sizeof *element);
	element->value = value;
	atomic_init(&element->taken, 0);
	/* The youngest, until it has its stamp. */
	atomic_init(&element->stamp, top_stamp);
	element->next = atomic_load_explicit(&pools[me], memory_order_acquire);
	atomic_store_explicit(&pools[me], element, memory_order_release);
	atomic_store_explicit(&element->stamp, new_stamp(me), memory_order_release);
}

/* The first element of a pool that is not taken. */
static struct element *youngest(int pool, struct element **top)
{
	struct element *element = *top = atomic_load_explicit(&pools[pool], memory_order_acquire);
	for (;;) {
		if (!atomic_load_explicit(&element->taken, memory_order_acquire))
			return element;
		if (element->next == element)
			return NULL;
		element = element->next;
	}
}

static _Bool take(int pool, struct element *top, struct element *element, int *value)
{
#ifdef WEAK_TAKE
	if (atomic_load_explicit(&element->taken, memory_order_acquire))
		return 0;
	atomic_store_explicit(&element->taken, 1, memory_order_release);
#else
	int free = 0;
	if (!atomic_compare_exchange_strong_explicit(&element->taken, &free, 1, memory_order_acq_rel,
						     memory_order_acquire))
		return 0;
#endif
	/* Those above it are taken, too. */
	atomic_compare_exchange_strong_explicit(&pools[pool], &top, element, memory_order_acq_rel, memory_order_relaxed);
	*value = element->value;
	return 1;
}

static _Bool try_pop(int *value)
{
	struct element *best = NULL, *best_top = NULL, *top, *empty[WRITERS];
	stamp_type best_stamp = 0;
	int best_pool = 0;
	for (int pool = 0; pool < WRITERS; pool++) {
		struct element *element = youngest(pool, &top);
		empty[pool] = element ? NULL : top;
		if (!element)
			continue;
		stamp_type stamp = atomic_load_explicit(&element->stamp, memory_order_acquire);
		if (!best || is_younger(stamp, best_stamp)) {
			best = element;
			best_top = top;
			best_stamp = stamp;
			best_pool = pool;
		}
	}
	if (best)
		return take(best_pool, best_top, best, value);
	/* The stack is empty only if no pool has changed. */
	for (int pool = 0; pool < WRITERS; pool++)
		if (atomic_load_explicit(&pools[pool], memory_order_acquire) != empty[pool])
			return 0;
	*value = 0;
	return 1;
}

static int got[READERS];

static void *writer(void *number)
{
	int me = (int)(intptr_t)number;
	for (int i = 0; i < PUSHES; i++)
		push(me, me * PUSHES + i + 1);
	return NULL;
}

static void *reader(void *number)
{
	int value = 0;
	while (!try_pop(&value))
		;
	got[(intptr_t)number] = value;
	return NULL;
}

int main(void)
{
	pthread_t threads[WRITERS + READERS];
	init_stamps();
	for (int pool = 0; pool < WRITERS; pool++) {
		struct element *end = malloc(sizeof *end);
		end->value = 0;
		end->next = end;
		atomic_init(&end->stamp, 0);
		atomic_init(&end->taken, 1);
		atomic_init(&pools[pool], end);
	}
	for (int i = 0; i < WRITERS; i++)
		pthread_create(&threads[i], NULL, writer, (void *)(intptr_t)i);
	for (int i = 0; i < READERS; i++)
		pthread_create(&threads[WRITERS + i], NULL, reader, (void *)(intptr_t)i);
	for (int i = 0; i < WRITERS + READERS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < READERS; i++)
		assert(got[i] >= 0 && got[i] <= ELEMENTS);
	for (int i = 0; i < READERS; i++)
		for (int j = 0; j < i; j++)
			assert(got[i] == 0 || got[i] != got[j]);
	return 0;
}
