// A hazard pointer that two threads set: at once they race; one after the other, what the second one says counts.
// verify --property race: no, race
// verify --engine bmc: no, race
// verify --cflags=-DHANDED: no, use-after-free
// verify --cflags=-DHANDED --engine bmc: no, use-after-free
// verify --cflags=-DHANDED --model sc: no, use-after-free
// verify --cflags=-DKEEPS: yes
// verify --cflags=-DKEEPS --engine bmc: yes
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <treville.h>
#ifdef KEEPS
#define HANDED
#endif
struct node {
	int v;
};
static _Atomic(struct node *) top;
static treville_hazard_t *shared;
static struct node *find(void)
{
	for (;;) {
		struct node *n = atomic_load_explicit(&top, memory_order_acquire);
		treville_hazard_protect(shared, n);
		if (n == atomic_load_explicit(&top, memory_order_acquire))
			return n;
	}
}
static void *replace(void *u)
{
	struct node *n = malloc(sizeof *n);
	n->v = 2;
	treville_hazard_retire(atomic_exchange_explicit(&top, n, memory_order_acq_rel));
	return 0;
}
#ifdef HANDED
static void *other(void *u)
{
#ifndef KEEPS
	treville_hazard_clear(shared);
#endif
	return 0;
}
#else
static void *other(void *u)
{
	find();
	return 0;
}
#endif
int main(void)
{
	pthread_t a, b;
	struct node *n = malloc(sizeof *n);
	n->v = 1;
	atomic_init(&top, n);
	shared = treville_hazard_alloc();
	pthread_create(&a, 0, replace, 0);
#ifdef HANDED
	n = find();
	pthread_create(&b, 0, other, 0);
	pthread_join(b, 0);
#else
	pthread_create(&b, 0, other, 0);
	n = find();
#endif
	assert(n->v == 1 || n->v == 2);
	treville_hazard_clear(shared);
	pthread_join(a, 0);
#ifndef HANDED
	pthread_join(b, 0);
#endif
	return 0;
}
