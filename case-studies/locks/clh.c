/* CLH lock: threads queue up implicitly, and each waits at the flag of the thread before.
 *
 * A thread puts a node with a raised flag at the tail and waits for the flag of the node that was there; it takes that node
 * for its next turn, so that nodes wander. The exchange must release: otherwise the thread after may see the flag as it was
 * before it was raised, and enter at once.
 *
 * verify                                          yes
 * verify --cflags=-DN=3                           yes
 * verify --model=sc                               yes
 * verify --model=tso                              yes
 * verify --property=liveness                      yes
 * verify --cflags=-DWEAK_UNLOCK                   no race
 * verify --cflags=-DWEAK_WAIT                     no race
 * verify --cflags=-DWEAK_JOIN                     no race
 * verify --cflags=-DWEAK_JOIN --model=tso         yes
 */
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifdef WEAK_UNLOCK
#define UNLOCK memory_order_relaxed
#else
#define UNLOCK memory_order_release
#endif
#ifdef WEAK_WAIT
#define WAIT memory_order_relaxed
#else
#define WAIT memory_order_acquire
#endif
#ifdef WEAK_JOIN
#define JOIN memory_order_relaxed
#else
#define JOIN memory_order_acq_rel
#endif

struct node {
	atomic_int busy;
};

static struct node nodes[N + 1];
static _Atomic(struct node *) tail = &nodes[N];
static struct node *mine[N], *before[N];

static void lock(int me)
{
	if (!mine[me])
		mine[me] = &nodes[me];
	atomic_store_explicit(&mine[me]->busy, 1, memory_order_relaxed);
	before[me] = atomic_exchange_explicit(&tail, mine[me], JOIN);
	while (atomic_load_explicit(&before[me]->busy, WAIT))
		;
}

static void unlock(int me)
{
	struct node *left = mine[me];
	mine[me] = before[me];
	atomic_store_explicit(&left->busy, 0, UNLOCK);
}

#include "client.h"
