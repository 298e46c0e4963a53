// A hazard pointer that points elsewhere for a moment and back does not protect in between: an attempt in which it does is not
// one that came to the same place with less.
// verify: no, use-after-free
// verify --engine explore: no, use-after-free
// verify --engine bmc: no, use-after-free
// verify --reductions none --bound 3 --accept-bounded: no, use-after-free
// verify --engine explore --cflags=-DSECOND: yes
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <treville.h>
struct node { int v; };
static _Atomic(struct node *) slot;
static atomic_int top, stop, begun;
static struct node *other;
static void *look(void *u) {
  treville_hazard_t *h = treville_hazard_alloc(), *g = h;
#ifdef SECOND
  g = treville_hazard_alloc();
#endif
  struct node *n = atomic_load_explicit(&slot, memory_order_acquire);
  treville_hazard_protect(h, n);
  if (!n || n != atomic_load_explicit(&slot, memory_order_acquire)) return 0;
  atomic_store_explicit(&begun, 1, memory_order_relaxed);
  int last = 0, done = 0;
  for (;;) {
    if (atomic_load_explicit(&stop, memory_order_relaxed)) break;
    int x = atomic_load_explicit(&top, memory_order_relaxed);
    last = x;
    if (x == 2) done = 0;
    if (x == 0 && !done) {
      done = 1;
      int e = 5;
      treville_hazard_protect(g, other);
      atomic_compare_exchange_strong_explicit(&top, &e, 6, memory_order_relaxed, memory_order_relaxed);
      treville_hazard_protect(h, n);
    }
  }
  if (last == 2 && !done) assert(n->v == 1);
  return 0;
}
static void *retire(void *u) {
  struct node *n = atomic_exchange_explicit(&slot, 0, memory_order_acq_rel);
  treville_hazard_retire(n);
  return 0;
}
static void *change(void *u) {
  atomic_store_explicit(&top, 2, memory_order_relaxed);
  atomic_store_explicit(&stop, 1, memory_order_relaxed);
  return 0;
}
int main(void) {
  pthread_t a, b, c;
  struct node *n = malloc(sizeof *n);
  n->v = 1;
  other = malloc(sizeof *n);
  atomic_init(&slot, n);
  pthread_create(&a, 0, look, 0);
  pthread_create(&b, 0, retire, 0);
  pthread_create(&c, 0, change, 0);
  pthread_join(a, 0); pthread_join(b, 0); pthread_join(c, 0);
  return 0;
}
