/* two threads hold what the other wants to write, beside one that spins: deadlock */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER, k = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int flag;
static void *spin(void *u) {  while (!atomic_load_explicit(&flag, memory_order_acquire));  return 0; }
static void *a(void *u) { pthread_rwlock_rdlock(&l); pthread_rwlock_wrlock(&k); pthread_rwlock_unlock(&k); pthread_rwlock_unlock(&l); return 0; }
static void *b(void *u) { pthread_rwlock_wrlock(&k); pthread_rwlock_wrlock(&l); pthread_rwlock_unlock(&l); pthread_rwlock_unlock(&k); return 0; }
int main(void) {
  pthread_t h, g, s;
  pthread_create(&s, 0, spin, 0);
  pthread_create(&h, 0, a, 0);
  pthread_create(&g, 0, b, 0);
  pthread_join(h, 0);
  pthread_join(g, 0);
  pthread_join(s, 0);
  return 0;
}
