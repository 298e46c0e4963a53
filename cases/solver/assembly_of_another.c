/* A barrier for loads of AArch64 between two stores: other machines do not have it (error), and there it does not order stores. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static int d;
static void *writer(void *u) {
  d = 1;
  __asm__ volatile("dmb ishld" ::: "memory");
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, writer, 0);
  if (atomic_load_explicit(&x, memory_order_acquire)) assert(d == 1);
  pthread_join(t, 0);
  return 0;
}
