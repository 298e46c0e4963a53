/* The same with a read-write lock. */
#include <pthread.h>
#include <stdatomic.h>
static atomic_int stop, started;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static void *one(void *u) { pthread_rwlock_wrlock(&l); atomic_store(&started, 1); while (!atomic_load(&stop)); return 0; }
int main(void) {
  pthread_t b; pthread_create(&b, 0, one, 0);
  if (atomic_load(&started)) pthread_rwlock_rdlock(&l);
  atomic_store(&stop, 1); pthread_join(b, 0);
  return 0;
}
