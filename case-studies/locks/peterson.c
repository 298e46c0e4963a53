/* Peterson's lock for two threads.
 *
 * Each says that it is interested and lets the other go first, then looks whether the other is interested: a write and then
 * a read of another place, on both sides. Only seq_cst keeps these in order: with release and acquire both may read the old
 * flag (also on x86, under tso).
 *
 * verify                                          yes
 * verify --model=sc                               yes
 * verify --model=tso                              yes
 * verify --property=liveness                      yes
 * verify --cflags=-DWEAK                          no race
 * verify --cflags=-DWEAK --model=tso              no race
 * verify --cflags=-DWEAK --model=sc               yes
 * verify --cflags=-DWEAK_UNLOCK                   no race
 * verify --cflags=-DTURN_FIRST                    no race
 * verify --cflags=-DTURN_FIRST --model=sc         no race
 */
#include <stdatomic.h>

#define N 2
#ifdef WEAK
#define STORE memory_order_release
#define LOAD memory_order_acquire
#else
#define STORE memory_order_seq_cst
#define LOAD memory_order_seq_cst
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
#ifdef TURN_FIRST /* The famous mistake, which no memory model repairs. */
	atomic_store_explicit(&turn, other, STORE);
	atomic_store_explicit(&interested[me], 1, STORE);
#else
	atomic_store_explicit(&interested[me], 1, STORE);
	atomic_store_explicit(&turn, other, STORE);
#endif
	while (atomic_load_explicit(&interested[other], LOAD) && atomic_load_explicit(&turn, LOAD) == other)
		;
}

static void unlock(int me)
{
	atomic_store_explicit(&interested[me], 0, UNLOCK);
}

#include "client.h"
