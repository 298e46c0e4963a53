/* Lamport's bakery for two threads: draw a number larger than the other's; smaller ones go first.
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

static atomic_int c0, c1, n0, n1;

static void *t0(void *unused)
{
	STORE(c0, 1);
	FENCE();
	int mine = LOAD(n1) + 1, other;
	STORE(n0, mine);
	ORDER();
	STORE(c0, 0);
	FENCE();
	while (LOAD(c1) != 0)
		;
	ORDER();
	do {
		other = LOAD(n1);
	} while (other != 0 && other < mine);
	critical(1);
	STORE(n0, 0);
	return 0;
}

static void *t1(void *unused)
{
	STORE(c1, 1);
	FENCE();
	int mine = LOAD(n0) + 1, other;
	STORE(n1, mine);
	ORDER();
	STORE(c1, 0);
	FENCE();
	while (LOAD(c0) != 0)
		;
	ORDER();
	do {
		other = LOAD(n0);
	} while (other != 0 && other <= mine);
	critical(2);
	STORE(n1, 0);
	return 0;
}
