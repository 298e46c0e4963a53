/* Test and test-and-set lock: wait until the lock looks free, then try to take it.
 *
 * Only the exchange has to acquire: looking is a hint. The exchange must be one step; a look and a store let two threads in.
 *
 * verify                                          yes
 * verify --cflags=-DN=3                           yes
 * verify --model=sc                               yes
 * verify --model=tso                              yes
 * verify --property=liveness                      yes
 * verify --cflags=-DWEAK_UNLOCK                   no race
 * verify --cflags=-DWEAK_LOCK                     no race
 * verify --cflags=-DWEAK_LOCK --model=sc          yes
 * verify --cflags=-DNO_EXCHANGE                   no race
 * verify --cflags=-DNO_EXCHANGE --model=sc        no race
 * verify --cflags=-DNO_UNLOCK                     unknown
 * verify --cflags=-DNO_UNLOCK --property=liveness no liveness
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
#ifdef WEAK_LOCK
#define LOCK memory_order_relaxed
#else
#define LOCK memory_order_acquire
#endif

static atomic_int taken;

static void lock(int me)
{
	(void)me;
	do {
		while (atomic_load_explicit(&taken, memory_order_relaxed))
			;
#ifdef NO_EXCHANGE
		atomic_store_explicit(&taken, 1, memory_order_relaxed);
	} while (0);
	atomic_thread_fence(memory_order_acquire);
#else
	} while (atomic_exchange_explicit(&taken, 1, LOCK));
#endif
}

static void unlock(int me)
{
	(void)me;
#ifndef NO_UNLOCK /* Left out, the other threads wait for ever: nothing completes, and liveness says why. */
	atomic_store_explicit(&taken, 0, UNLOCK);
#endif
}

#include "client.h"
