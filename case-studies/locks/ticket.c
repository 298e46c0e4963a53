/* Ticket lock: a thread draws a number and waits until it is served.
 *
 * Drawing may be relaxed, since what orders the critical sections is the counter `serving`: the release that serves the next
 * number is read by the acquire that waits for it. Where either is relaxed, the critical sections are exclusive in time but
 * their plain accesses are not ordered: a race. Under sc and tso reading the number suffices.
 *
 * verify                                          yes
 * verify --cflags=-DN=3                           yes
 * verify --model=sc                               yes
 * verify --model=tso                              yes
 * verify --property=liveness                      yes
 * verify --cflags=-DWEAK_UNLOCK                   no race
 * verify --cflags=-DWEAK_WAIT                     no race
 * verify --cflags=-DWEAK_UNLOCK --model=sc        yes
 * verify --cflags=-DWEAK_WAIT --model=tso         yes
 * verify --cflags=-DTORN_DRAW                     no race
 */
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifdef WEAK_UNLOCK
#define SERVE memory_order_relaxed
#else
#define SERVE memory_order_release
#endif
#ifdef WEAK_WAIT
#define WAIT memory_order_relaxed
#else
#define WAIT memory_order_acquire
#endif

static atomic_int next, serving;

static void lock(int me)
{
	(void)me;
#ifdef TORN_DRAW /* Two threads may draw the same number. */
	int mine = atomic_load_explicit(&next, memory_order_relaxed);
	atomic_store_explicit(&next, mine + 1, memory_order_relaxed);
#else
	int mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
#endif
	while (atomic_load_explicit(&serving, WAIT) != mine)
		;
}

static void unlock(int me)
{
	(void)me;
	int now = atomic_load_explicit(&serving, memory_order_relaxed);
	atomic_store_explicit(&serving, now + 1, SERVE);
}

#include "client.h"
