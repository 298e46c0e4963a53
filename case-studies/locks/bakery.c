/* Lamport's bakery: draw a number larger than all, then let those with smaller ones go first.
 *
 * Numbers are drawn without any atomic update. While a thread chooses, others wait to see what it draws; without that flag
 * two threads may draw the same number, one of them enters before the other's number is there, and both are in.
 *
 * verify                                          yes
 * verify --model=sc                               yes
 * verify --model=tso                              yes
 * verify --cflags=-DWEAK                          no race
 * verify --cflags=-DWEAK --model=tso              no race
 * verify --cflags=-DWEAK --model=sc               yes
 * verify --cflags=-DNO_CHOOSING                   no race
 * verify --cflags=-DNO_CHOOSING --model=sc        no race
 */
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifdef WEAK
#define STORE memory_order_release
#define LOAD memory_order_acquire
#else
#define STORE memory_order_seq_cst
#define LOAD memory_order_seq_cst
#endif

static atomic_int choosing[N], number[N];

static void lock(int me)
{
	int largest = 0;
#ifndef NO_CHOOSING
	atomic_store_explicit(&choosing[me], 1, STORE);
#endif
	for (int i = 0; i < N; i++) {
		int n = atomic_load_explicit(&number[i], LOAD);
		largest = n > largest ? n : largest;
	}
	atomic_store_explicit(&number[me], largest + 1, STORE);
#ifndef NO_CHOOSING
	atomic_store_explicit(&choosing[me], 0, STORE);
#endif
	for (int i = 0; i < N; i++) {
		if (i == me)
			continue;
#ifndef NO_CHOOSING
		while (atomic_load_explicit(&choosing[i], LOAD))
			;
#endif
		for (;;) {
			int n = atomic_load_explicit(&number[i], LOAD);
			if (n == 0 || n > largest + 1 || (n == largest + 1 && i > me))
				break;
		}
	}
}

static void unlock(int me)
{
	atomic_store_explicit(&number[me], 0, memory_order_release);
}

#include "client.h"
