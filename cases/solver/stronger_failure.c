/* A compare-exchange whose failure acquires and whose success does not: compilers for Armv7 fence only the failure. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, d;
static void *w(void *u) { atomic_store_explicit(&d, 1, memory_order_relaxed); atomic_store_explicit(&x, 1, memory_order_release); return 0; }
int main(void) {
  pthread_t a; int e = 1;
  pthread_create(&a, 0, w, 0);
  if (atomic_compare_exchange_strong_explicit(&x, &e, 2, memory_order_release, memory_order_acquire))
    assert(atomic_load_explicit(&d, memory_order_relaxed) == 1);
  return 0;
}
