// The same in a function that the loop calls.
// verify: no, race
// verify --spin keep --bound 3 --accept-bounded --symmetry off: no, race
// verify --engine bmc: no, race
// verify --engine enumerate: no, race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#define LD(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define ST(x, v) atomic_store_explicit(&(x), v, memory_order_relaxed)
int p;
atomic_int y, f;
static int __attribute__((noinline)) look(int *q) { return *q; }
void *T0(void *u)
{
	while (!LD(y))
		look(&p);
	ST(f, 1);
	return 0;
}
void *T1(void *u)
{
	ST(y, 1);
	if (LD(f))
		p = 5;
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
