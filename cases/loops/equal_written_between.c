// Between two equal threads, the one that starts them writes a small number to where they look.
// verify: no, race
// verify --symmetry off: no, race
// verify --reductions counted: no, race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#define LD(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define ST(x, v) atomic_store_explicit(&(x), v, memory_order_relaxed)
struct S {
	int d;
};
atomic_int k;
void *T(void *u)
{
	if (atomic_fetch_add_explicit(&k, 1, memory_order_relaxed) == 1)
		(void)*(volatile int *)&((struct S *)u)->d;
	return 0;
}
int main(void)
{
	pthread_t a, b;
	struct S s = {0};
	pthread_create(&a, 0, T, &s);
	s.d = 1;
	pthread_create(&b, 0, T, &s);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
