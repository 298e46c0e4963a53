/* Szymanski's lock for two threads: a waiting room whose door is closed by who enters last.
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

static atomic_int flag1, flag2;

static void *t0(void *unused)
{
	STORE(flag1, 1);
	FENCE();
	while (LOAD(flag2) >= 3)
		;
	STORE(flag1, 3);
	FENCE();
	if (LOAD(flag2) == 1) {
		STORE(flag1, 2);
		FENCE();
		while (LOAD(flag2) != 4)
			;
	}
	STORE(flag1, 4);
	FENCE();
	while (LOAD(flag2) >= 2)
		;
	critical(1);
	STORE(flag1, 0);
	return 0;
}

static void *t1(void *unused)
{
	STORE(flag2, 1);
	FENCE();
	while (LOAD(flag1) >= 3)
		;
	STORE(flag2, 3);
	FENCE();
	if (LOAD(flag1) == 1) {
		STORE(flag2, 2);
		FENCE();
		while (LOAD(flag1) != 4)
			;
	}
	STORE(flag2, 4);
	FENCE();
	int first;
	do {
		first = LOAD(flag1);
	} while (first >= 2 && first <= 3);
	critical(2);
	STORE(flag2, 0);
	return 0;
}
