// A loop with several exits assigns what is used after it.
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
atomic_int y, z;
void *T0(void *u)
{
	int last;
	for (;;) {
		last = LD(y);
		if (last == 2 || LD(z))
			break;
	}
	assert(last != 1);
	return 0;
}
void *T1(void *u)
{
	ST(y, 1);
	ST(z, 1);
	ST(y, 2);
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
