/* Local memory at an address that a read decides: a compiler may keep it in registers, so no write is ordered after that read by it. */
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
static atomic_int x, y;
static int r0, r1;
static void *t0(void *u) {
  int a[2] = {0, 0};
  int r = atomic_load_explicit(&x, memory_order_relaxed);
  a[r & 1] = 1;
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  r0 = r + 0 * a[0];
  return 0;
}
static void *t1(void *u) {
  int r = atomic_load_explicit(&y, memory_order_relaxed);
  atomic_store_explicit(&x, r, memory_order_relaxed);
  r1 = r;
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, t0, 0);
  pthread_create(&b, 0, t1, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(!(r0 == 1 && r1 == 1));
  return 0;
}
