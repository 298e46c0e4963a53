/* A thread that is parked until a condition holds, and one that wakes it: awake, it sees that the condition holds.
 *
 * Coherence alone is enough: what was read once is not forgotten, unless the condition is taken back. The loop writes, so that it
 * is followed up to a bound.
 *
 * verify --model=sc --bound=3 --accept-bounded                          yes
 * verify --model=tso --bound=3 --accept-bounded                         yes
 * verify --model=arm --bound=3 --accept-bounded                         yes
 * verify --model=aarch64 --bound=3 --accept-bounded                     yes
 * verify --model=power --bound=3 --accept-bounded                       yes
 * verify --model=rc11 --bound=3 --accept-bounded                        yes
 * verify --cflags=-DNOFENCE --model=tso --bound=3 --accept-bounded      yes
 * verify --cflags=-DTAKEN_BACK --model=sc --bound=3                     no assertion
 */
#include "kernel.h"

static atomic_int cond, count;

static void *t0(void *unused)
{
	while (LOAD(cond) == 0) {
		(void)LOAD(count);
		STORE(count, 0);
		FENCE();
	}
	assert(LOAD(cond) == 1);
	return 0;
}

static void *t1(void *unused)
{
	STORE(cond, 1);
	FENCE();
	STORE(count, 1);
#ifdef TAKEN_BACK
	STORE(cond, 0);
#endif
	return 0;
}
