// What an iteration reads plainly is written only by who has seen that the loop was left.
// verify: yes
// verify --spin keep --bound 3 --accept-bounded --symmetry off: yes
// verify --engine bmc: yes
// verify --engine enumerate: yes
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#define LD(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define ST(x, v) atomic_store_explicit(&(x), v, memory_order_relaxed)
int p;
atomic_int y, f;
void *T0(void *u)
{
	while (!LD(y)) {
		int v = p;
	}
	atomic_store_explicit(&f, 1, memory_order_release);
	return 0;
}
void *T1(void *u)
{
	ST(y, 1);
	if (atomic_load_explicit(&f, memory_order_acquire))
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
