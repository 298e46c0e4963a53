/* two threads wait for each other's lock, and main returns after it has waited in a loop for a flag: a deadlock, since they did
   so before the end. With -DONE there is only one of them, and it takes both locks. */
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static atomic_int flag;
static void *a(void *u) { pthread_mutex_lock(&m); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m); return u; }
static void *b(void *u) { pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n); return u; }
static void *sets(void *u) {
  atomic_store_explicit(&flag, 1, memory_order_release);
  return u;
}
int main(void) {
  pthread_t s, t, w;
  pthread_create(&s, 0, a, 0);
#ifndef ONE
  pthread_create(&t, 0, b, 0);
#endif
  pthread_create(&w, 0, sets, 0);
  while (!atomic_load_explicit(&flag, memory_order_acquire));
  return 0;
}
