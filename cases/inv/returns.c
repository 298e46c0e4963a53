#include <stdatomic.h>
#include <pthread.h>
atomic_int go, n;
void *waits(void *p) { while (!atomic_load_explicit(&go, memory_order_relaxed)); return 0; }
void *counts(void *p) { atomic_store_explicit(&n, 1, memory_order_relaxed); return 0; }
int main() {
  pthread_t t;
  pthread_create(&t, 0, waits, 0);
  pthread_create(&t, 0, counts, 0);
#ifdef STAY
  pthread_exit(0);
#endif
  if (atomic_load_explicit(&go, memory_order_relaxed)) pthread_create(&t, 0, counts, 0);
  return 0;
}
