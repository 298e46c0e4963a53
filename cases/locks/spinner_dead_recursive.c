/* two threads hold each other's recursive mutex beside one that spins: deadlock */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
static pthread_mutex_t m, n;
static atomic_int flag;
static void *spin(void *u) {  while (!atomic_load_explicit(&flag, memory_order_acquire));  return 0; }
static void *a(void *u) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m); pthread_mutex_unlock(&m); return 0; }
static void *b(void *u) { pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n); return 0; }
int main(void) {
  pthread_t h, g, s;
  pthread_mutexattr_t at; pthread_mutexattr_init(&at); pthread_mutexattr_settype(&at, PTHREAD_MUTEX_RECURSIVE); pthread_mutex_init(&m, &at); pthread_mutex_init(&n, &at);
  pthread_create(&s, 0, spin, 0);
  pthread_create(&h, 0, a, 0);
  pthread_create(&g, 0, b, 0);
  pthread_join(h, 0);
  pthread_join(g, 0);
  pthread_join(s, 0);
  return 0;
}
