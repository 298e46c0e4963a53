/* Peterson's lock for two threads: who comes last lets the other go first.
 *
 * FENCE is enough on x86, and without it (-DNOFENCE) both threads get in. On other machines and in C11 the accesses around the
 * critical section, and those where ORDER is, must be kept in order, too (-DSTRONG).
 *
 * verify --model=sc                                                     yes
 * verify --model=tso                                                    yes
 * verify --model=arm                                                    no assertion
 * verify --model=aarch64                                                no assertion
 * verify --model=power                                                  no assertion
 * verify --model=rc11                                                   no assertion
 * verify --cflags=-DNOFENCE --model=sc                                  yes
 * verify --cflags=-DNOFENCE --model=tso                                 no assertion
 * verify --cflags=-DNOFENCE --model=power                               no assertion
 * verify --cflags=-DSTRONG --model=tso                                  yes
 * verify --cflags=-DSTRONG --model=arm                                  yes
 * verify --cflags=-DSTRONG --model=aarch64                              yes
 * verify --cflags=-DSTRONG --model=power                                yes
 * verify --cflags=-DSTRONG --model=rc11                                 yes
 */
#include "kernel.h"

static atomic_int flag0, flag1, turn;

static void *t0(void *unused)
{
	STORE(flag0, 1);
	ORDER();
	STORE(turn, 1);
	FENCE();
	while (LOAD(flag1) == 1 && LOAD(turn) == 1)
		;
	critical(1);
	STORE(flag0, 0);
	return 0;
}

static void *t1(void *unused)
{
	STORE(flag1, 1);
	ORDER();
	STORE(turn, 0);
	FENCE();
	while (LOAD(flag0) == 1 && LOAD(turn) == 0)
		;
	critical(2);
	STORE(flag1, 0);
	return 0;
}
