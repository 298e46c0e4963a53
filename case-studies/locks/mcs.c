/* MCS lock: threads queue up, and each waits at a flag of its own.
 *
 * Three hand-overs need order. Joining the queue publishes the node (release) and sees that of the thread before (acquire);
 * linking publishes it again to that thread; serving the next one passes on the critical section.
 *
 * verify                                          yes
 * verify --cflags=-DN=3                           yes
 * verify --model=sc                               yes
 * verify --model=tso                              yes
 * verify --property=liveness                      yes
 * verify --cflags=-DWEAK_SERVE                    no race
 * verify --cflags=-DWEAK_WAIT                     no race
 * verify --cflags=-DWEAK_LEAVE                    no race
 * verify --cflags=-DWEAK_SERVE --model=tso        yes
 * verify --cflags=-DNO_HURRY --property=liveness  no liveness
 */
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif
#ifdef WEAK_SERVE
#define SERVE memory_order_relaxed
#else
#define SERVE memory_order_release
#endif
#ifdef WEAK_WAIT
#define WAIT memory_order_relaxed
#else
#define WAIT memory_order_acquire
#endif
#ifdef WEAK_LEAVE /* The last one leaves an empty queue without publishing what it did. */
#define LEAVE memory_order_relaxed
#else
#define LEAVE memory_order_release
#endif

struct node {
	_Atomic(struct node *) next;
	atomic_int served;
};

static struct node nodes[N];
static _Atomic(struct node *) tail;

static void lock(int me)
{
	struct node *mine = &nodes[me];
	atomic_store_explicit(&mine->next, NULL, memory_order_relaxed);
	atomic_store_explicit(&mine->served, 0, memory_order_relaxed);
	struct node *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
	if (!before)
		return;
	atomic_store_explicit(&before->next, mine, memory_order_release);
	while (!atomic_load_explicit(&mine->served, WAIT))
		;
}

static void unlock(int me)
{
	struct node *mine = &nodes[me], *expected = mine;
	struct node *after = atomic_load_explicit(&mine->next, memory_order_acquire);
	if (!after) {
		if (atomic_compare_exchange_strong_explicit(&tail, &expected, NULL, LEAVE, memory_order_relaxed))
			return;
#ifdef NO_HURRY /* Somebody has come, but is not linked yet: to go away now is to forget it. */
		return;
#endif
		while (!(after = atomic_load_explicit(&mine->next, memory_order_acquire)))
			;
	}
	atomic_store_explicit(&after->served, 1, SERVE);
}

#include "client.h"
