// One of two equal threads looks at the handle of the first, which is written while that runs already.
// verify: no, race
// verify --symmetry off: no, race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#define LD(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define ST(x, v) atomic_store_explicit(&(x), v, memory_order_relaxed)
atomic_int k;
void *T(void *u)
{
	if (atomic_fetch_add_explicit(&k, 1, memory_order_relaxed) == 1)
		(void)*(volatile pthread_t *)u;
	return 0;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, T, t);
	pthread_create(&t[1], 0, T, t);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
