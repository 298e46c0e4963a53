// An iteration reads memory before anybody has written it.
// verify: no, uninitialized
// verify --spin keep --bound 3 --accept-bounded --symmetry off: no, uninitialized
// verify --model sc: no, uninitialized
// verify --model tso: no, uninitialized
// verify --engine bmc: no, uninitialized
// verify --engine enumerate: no, uninitialized
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#define LD(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define ST(x, v) atomic_store_explicit(&(x), v, memory_order_relaxed)
atomic_int *z;
void *T0(void *u)
{
	while (!LD(*z))
		;
	return 0;
}
void *T1(void *u)
{
	ST(*z, 1);
	return 0;
}
int main(void)
{
	pthread_t a, b;
	z = malloc(sizeof *z);
	pthread_create(&a, 0, T0, 0);
	pthread_create(&b, 0, T1, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
