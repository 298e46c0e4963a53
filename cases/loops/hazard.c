// What a hazard pointer protects must be read again: otherwise it may be retired before.
// verify: yes
// verify --engine bmc: yes
// verify --cflags=-DNOREVALIDATE --engine bmc: no, use-after-free
// verify --cflags=-DNOREVALIDATE: no, use-after-free
// verify --cflags=-DNOPROTECT: no, use-after-free
// verify --cflags=-DNOREVALIDATE --model sc: no, use-after-free
// verify --cflags=-DNOREVALIDATE --reductions none --bound 3 --accept-bounded: no, use-after-free
// verify --cflags=-DREPEAT: yes
// verify --cflags=-DREPEAT --engine bmc: yes
// verify --cflags=-DCHANGE: no, use-after-free
// verify --cflags=-DCHANGE --engine bmc: no, use-after-free
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <treville.h>
struct node {
	int v;
};
_Atomic(struct node *) top;
static struct node *find(treville_hazard_t *h)
{
	for (;;) {
		struct node *n = atomic_load_explicit(&top, memory_order_acquire);
#ifndef NOPROTECT
		treville_hazard_protect(h, n);
#endif
#if defined NOPROTECT || defined NOREVALIDATE
		return n;
#endif
		if (n == atomic_load_explicit(&top, memory_order_acquire))
			return n;
	}
}
static void *look(void *u)
{
	treville_hazard_t *h = treville_hazard_alloc();
	struct node *n = find(h);
#ifdef CHANGE
	treville_hazard_clear(h);
#endif
#if defined REPEAT || defined CHANGE
	// What the pointer says already is not protected anew, but it was protected all the time.
	treville_hazard_protect(h, n);
#endif
	if (n)
		assert(n->v == 1 || n->v == 2);
	treville_hazard_clear(h);
	treville_hazard_free(h);
	return 0;
}
static void *replace(void *u)
{
	struct node *n = malloc(sizeof *n);
	n->v = 2;
	treville_hazard_retire(atomic_exchange_explicit(&top, n, memory_order_acq_rel));
	return 0;
}
int main(void)
{
	pthread_t a, b;
	struct node *n = malloc(sizeof *n);
	n->v = 1;
	atomic_init(&top, n);
	pthread_create(&a, 0, look, 0);
	pthread_create(&b, 0, replace, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
