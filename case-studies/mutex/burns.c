/* The lock of Burns for two threads: the second steps back whenever it sees the first interested.
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

static atomic_int x, y;

static void *t0(void *unused)
{
	STORE(x, 1);
	FENCE();
	while (LOAD(y) != 0)
		;
	critical(1);
	STORE(x, 0);
	return 0;
}

static void *t1(void *unused)
{
	do {
		STORE(y, 0);
		while (LOAD(x) != 0)
			;
		STORE(y, 1);
		FENCE();
	} while (LOAD(x) != 0);
	critical(2);
	STORE(y, 0);
	return 0;
}
