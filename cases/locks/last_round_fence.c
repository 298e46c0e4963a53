/* The fence of a loop orders, also in the round in which a thread looks again: yes. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
void __VERIFIER_assume(int);
static _Atomic(int *) x;
static void *w(void *u) { int *p = malloc(sizeof *p); *p = 1; atomic_store_explicit(&x, p, memory_order_release); return 0; }
int main(void) {
  pthread_t a; int t = 0;
  pthread_create(&a, 0, w, 0);
  do {
    int *p = atomic_load_explicit(&x, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    if (p) t = *p;
  } while (!t);
  __VERIFIER_assume(t == 1);
  return 0;
}
