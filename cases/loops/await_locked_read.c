// The same while the iteration holds a lock, which the writer does not take.
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
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *T0(void *u)
{
	while (!LD(y)) {
		pthread_mutex_lock(&m);
		int v = p;
		pthread_mutex_unlock(&m);
	}
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
