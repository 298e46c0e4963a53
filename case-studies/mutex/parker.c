/* A thread that is parked until a condition holds, and one that wakes it: awake, it sees that the condition holds.
 *
 * Coherence alone is enough: what was read once is not forgotten, unless the condition is taken back. The loop writes, but nobody
 * looks at what it writes, so that it is as good as one that only waits (with -DQUIET it is one): that the thread wakes up is proved
 * for any number of iterations. With -DASLEEP nobody wakes it.
 *
 * verify --property=liveness --model=sc                                 yes
 * verify --property=liveness --model=tso                                yes
 * verify --property=liveness --model=arm                                yes
 * verify --property=liveness --model=aarch64                            yes
 * verify --property=liveness --model=power                              yes
 * verify --property=liveness --model=rc11                               yes
 * verify --cflags=-DNOFENCE --property=liveness --model=tso             yes
 * verify --model=sc --bound=3 --accept-bounded                          yes
 * verify --model=tso --bound=3 --accept-bounded                         yes
 * verify --model=arm --bound=3 --accept-bounded                         yes
 * verify --model=aarch64 --bound=3 --accept-bounded                     yes
 * verify --model=power --bound=3 --accept-bounded                       yes
 * verify --model=rc11 --bound=3 --accept-bounded                        yes
 * verify --cflags=-DNOFENCE --model=tso --bound=3 --accept-bounded      yes
 * verify --cflags=-DTAKEN_BACK --model=sc --bound=3                     no assertion
 * verify --cflags=-DQUIET --property=liveness --model=tso               yes
 * verify --cflags=-DQUIET --property=liveness --model=arm               yes
 * verify --cflags=-DQUIET --property=liveness --model=aarch64           yes
 * verify --cflags=-DQUIET --property=liveness --model=power             yes
 * verify --cflags=-DASLEEP --property=liveness --model=tso              no liveness
 */
#include "kernel.h"

static atomic_int cond, count;

static void *t0(void *unused)
{
	while (LOAD(cond) == 0) {
		(void)LOAD(count);
#if !defined(QUIET) && !defined(ASLEEP)
		STORE(count, 0);
#endif
		FENCE();
	}
	assert(LOAD(cond) == 1);
	return 0;
}

static void *t1(void *unused)
{
#ifndef ASLEEP
	STORE(cond, 1);
	FENCE();
#endif
	STORE(count, 1);
#ifdef TAKEN_BACK
	STORE(cond, 0);
#endif
	return 0;
}
