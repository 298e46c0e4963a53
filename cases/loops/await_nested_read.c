// The same in a loop inside the loop.
// The iterations of both change nothing.
// verify: no, race
// verify --spin keep --bound 3 --accept-bounded --symmetry off: no, race
// verify --engine bmc: no, race
// verify --engine enumerate --bound 4 --accept-bounded: no, race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#define LD(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define ST(x, v) atomic_store_explicit(&(x), v, memory_order_relaxed)
int p;
atomic_int y, z, f;
void *T0(void *u)
{
	while (!LD(y)) {
		while (LD(z) == 1) {
			int v = p;
		}
	}
	ST(f, 1);
	return 0;
}
void *T1(void *u)
{
	ST(z, 1);
	ST(z, 0);
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
