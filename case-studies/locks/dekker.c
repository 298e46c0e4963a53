/* Dekker's lock for two threads, the first that was found.
 *
 * Who is interested looks at the other's flag; if both are, the one whose turn it is not steps back. The flags are written
 * and then read crosswise, which needs seq_cst fences (or accesses); `turn` only decides who waits.
 *
 * verify                                          yes
 * verify --model=sc                               yes
 * verify --model=tso                              yes
 * verify --property=liveness                      yes
 * verify --cflags=-DWEAK                          no race
 * verify --cflags=-DWEAK --model=tso              no race
 * verify --cflags=-DWEAK --model=sc               yes
 * verify --cflags=-DWEAK_UNLOCK                   no race
 */
#include <stdatomic.h>

#define N 2
#ifdef WEAK
#define FENCE() atomic_thread_fence(memory_order_acq_rel)
#else
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#endif
#ifdef WEAK_UNLOCK
#define UNLOCK memory_order_relaxed
#else
#define UNLOCK memory_order_release
#endif

static atomic_int interested[2], turn;

static void lock(int me)
{
	int other = 1 - me;
	atomic_store_explicit(&interested[me], 1, memory_order_relaxed);
	FENCE();
	while (atomic_load_explicit(&interested[other], memory_order_acquire)) {
		if (atomic_load_explicit(&turn, memory_order_relaxed) != me) {
			atomic_store_explicit(&interested[me], 0, memory_order_relaxed);
			while (atomic_load_explicit(&turn, memory_order_relaxed) != me)
				;
			atomic_store_explicit(&interested[me], 1, memory_order_relaxed);
			FENCE();
		}
	}
}

static void unlock(int me)
{
	atomic_store_explicit(&turn, 1 - me, memory_order_relaxed);
	atomic_store_explicit(&interested[me], 0, UNLOCK);
}

#include "client.h"
