// An iteration ends with a plain read of an old write; in time of the new one it would not race under sc.
// verify: no, race
// verify --model sc: no, race
// verify --model tso: no, race
// verify --spin keep --bound 3 --accept-bounded --symmetry off --model sc: no, race
// verify --engine bmc --model sc: no, race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#define LD(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define ST(x, v) atomic_store_explicit(&(x), v, memory_order_relaxed)
int p;
void *T0(void *u)
{
	while (!p)
		;
	return 0;
}
void *T1(void *u)
{
	p = 1;
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
