// A failed compare-exchange writes what it has found to where another thread reads it.
// verify: no, assertion
// verify --spin keep --bound 3 --accept-bounded --symmetry off: no, assertion
// verify --engine bmc: no, assertion
// verify --engine enumerate: no, assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#define LD(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define ST(x, v) atomic_store_explicit(&(x), v, memory_order_relaxed)
atomic_int x, seen;
void *T0(void *u)
{
	int e = 0;
	while (!atomic_compare_exchange_strong_explicit(&x, &e, 7, memory_order_relaxed, memory_order_relaxed)) {
		ST(seen, e);
		e = 0;
	}
	return 0;
}
void *T1(void *u)
{
	ST(x, 1);
	assert(LD(seen) != 1);
	ST(x, 0);
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
