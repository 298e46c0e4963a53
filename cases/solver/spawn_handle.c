/* what a thread writes after it has started another may be seen before its earlier read: the handle of a thread depends on nothing */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_long x, y;
static void *other(void *u) {
  long b = atomic_load_explicit(&y, memory_order_relaxed);
  atomic_store_explicit(&x, b ? 1 : 0, memory_order_relaxed);
  return (void *)b;
}
static void *idle(void *u) { return u; }
int main(void) {
  pthread_t t, s;
  pthread_create(&t, 0, other, 0);
  long a = atomic_load_explicit(&x, memory_order_relaxed);
  pthread_create(&s, 0, idle, 0);
  atomic_store_explicit(&y, s != 0, memory_order_relaxed);
  pthread_join(s, 0);
  pthread_join(t, 0);
  assert(a == 0);
  return 0;
}
