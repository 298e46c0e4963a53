/* Lamport's fast lock for two threads: a thread alone gets through with two writes and two reads of x and y.
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

static atomic_int x, y, b1, b2;

static void lock(int me, atomic_int *mine, atomic_int *other)
{
	for (;;) {
		STORE(*mine, 1);
		STORE(x, me);
		FENCE();
		if (LOAD(y) != 0) {
			STORE(*mine, 0);
			while (LOAD(y) != 0)
				;
			continue;
		}
		STORE(y, me);
		FENCE();
		if (LOAD(x) == me)
			return;
		STORE(*mine, 0);
		FENCE();
		while (LOAD(*other) != 0)
			;
		ORDER();
		if (LOAD(y) == me)
			return;
		while (LOAD(y) != 0)
			;
	}
}

static void *t0(void *unused)
{
	lock(1, &b1, &b2);
	critical(1);
	STORE(y, 0);
	STORE(b1, 0);
	return 0;
}

static void *t1(void *unused)
{
	lock(2, &b2, &b1);
	critical(2);
	STORE(y, 0);
	STORE(b2, 0);
	return 0;
}
