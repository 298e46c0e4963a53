// Equal threads are told apart by some bytes of an address in memory.
// verify: no, assertion
// verify --symmetry off: no, assertion
// verify --model sc: no, assertion
// verify --reductions counted: no, assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#define LD(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define ST(x, v) atomic_store_explicit(&(x), v, memory_order_relaxed)
atomic_uint s;
void *T(void *u)
{
	union {
		void *p;
		unsigned half[2];
	} x = {malloc(4)};
	volatile unsigned *half = x.half;
	unsigned m = half[1], o = atomic_exchange(&s, m);
	if (o)
		assert(o < m);
	return 0;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, T, 0);
	pthread_create(&b, 0, T, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
