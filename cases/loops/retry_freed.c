// A failed iteration of a compare-exchange loop reads from an object that is freed after the loop was left.
// verify: no, use-after-free
// verify --spin keep --bound 3 --accept-bounded --symmetry off: no, use-after-free
// verify --engine bmc: no, use-after-free
// verify --engine enumerate: no, use-after-free
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#define LD(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define ST(x, v) atomic_store_explicit(&(x), v, memory_order_relaxed)
struct node {
	int v;
};
struct node *_Atomic top;
atomic_int f;
void *T0(void *u)
{
	struct node *t = atomic_load_explicit(&top, memory_order_acquire);
	do {
		if (!t)
			return 0;
		int v = t->v;
	} while (!atomic_compare_exchange_strong_explicit(&top, &t, 0, memory_order_acq_rel, memory_order_acquire));
	ST(f, 1);
	return 0;
}
void *T1(void *u)
{
	struct node *n = malloc(sizeof *n);
	n->v = 2;
	struct node *o = atomic_exchange_explicit(&top, n, memory_order_acq_rel);
	if (o && LD(f))
		free(o);
	return 0;
}
int main(void)
{
	pthread_t a, b;
	struct node *n = malloc(sizeof *n);
	n->v = 1;
	atomic_store_explicit(&top, n, memory_order_release);
	pthread_create(&a, 0, T0, 0);
	pthread_create(&b, 0, T1, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
