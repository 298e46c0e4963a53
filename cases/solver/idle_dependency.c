// Whether an iteration has changed nothing is not a question that the program asks: what comes after the loop does not depend on what
// the loop has read, and a machine may do it before.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y, rounds = 2;
int sum;

void *reader(void *unused) {
  int n = atomic_load_explicit(&rounds, memory_order_relaxed), all = 0;
  for (int i = 0; i < n; i++) all += atomic_load_explicit(&x, memory_order_relaxed);
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  sum = all;
  return 0;
}

void *copier(void *unused) {
  atomic_store_explicit(&x, atomic_load_explicit(&y, memory_order_relaxed), memory_order_relaxed);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, reader, 0);
  pthread_create(&b, 0, copier, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(sum == 0);
}
