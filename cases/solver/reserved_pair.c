// On RISC-V a compare-exchange is a pair of load-reserved and store-conditional. What is written before the store and what is read after
// the load are not kept in order by it, unless it is seq_cst. An exchange is one instruction, which keeps them.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ORDER
#define ORDER memory_order_acq_rel
#endif

#ifdef EXCHANGE
#define UPDATE(of) atomic_exchange_explicit(&of, 1, ORDER)
#else
#define UPDATE(of) \
  int expected = 0; \
  atomic_compare_exchange_strong_explicit(&of, &expected, 1, ORDER, memory_order_relaxed)
#endif

#ifndef TYPE
#define TYPE atomic_int
#endif

atomic_int x, y;
TYPE a, b;
int r, s;

void *left(void *unused) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  UPDATE(a);
  r = atomic_load_explicit(&y, memory_order_relaxed);
  return 0;
}

void *right(void *unused) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  UPDATE(b);
  s = atomic_load_explicit(&x, memory_order_relaxed);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, left, 0);
  pthread_create(&b, 0, right, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(r == 1 || s == 1);
}
