// A compare-exchange that fails, with a relaxed order for that, goes past the fence that follows one that succeeds on Armv7 and Power:
// the second thread may see the flag and not the data.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef FAILURE
#define FAILURE memory_order_relaxed
#endif

atomic_int data, flag;
int seen = 1;

void *writer(void *unused) {
  atomic_store_explicit(&data, 1, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, memory_order_release);
  return 0;
}

void *reader(void *unused) {
  int expected = 0;
  if (!atomic_compare_exchange_strong_explicit(&flag, &expected, 2, memory_order_acquire, FAILURE))
    seen = atomic_load_explicit(&data, memory_order_relaxed);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, writer, 0);
  pthread_create(&b, 0, reader, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(seen == 1);
}
