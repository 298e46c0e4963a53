// The same in two halves.
// verify: no, assertion
// verify --spin keep --bound 3 --accept-bounded --symmetry off: no, assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#define LD(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define ST(x, v) atomic_store_explicit(&(x), v, memory_order_relaxed)
_Atomic(uint64_t) head;
atomic_int x;
atomic_uint high;
void *T0(void *u)
{
	atomic_int *n = malloc(sizeof *n);
	ST(*n, 7);
	ST(high, (unsigned)((uint64_t)n >> 32));
	atomic_store_explicit(&head, (unsigned)(uint64_t)n | 1, memory_order_release);
	int s = LD(x);
	do {
		ST(*n, s);
	} while (!atomic_compare_exchange_strong_explicit(&x, &s, s + 10, memory_order_relaxed, memory_order_relaxed));
	return 0;
}
void *T1(void *u)
{
	uint64_t h = atomic_load_explicit(&head, memory_order_acquire);
	if (h) {
		int a = LD(*(atomic_int *)((uint64_t)LD(high) << 32 | (h & ~1ul)));
		ST(x, 1);
		if (LD(x) == 11)
			assert(a != 0);
	}
	return 0;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, T0, 0);
	pthread_create(&b, 0, T1, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
