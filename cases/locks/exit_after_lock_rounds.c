/* main looks at a flag under a mutex until it is set, then ends the process; a thread waits for a semaphore that nobody posts: yes. */
#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
static atomic_int flag;
static sem_t s;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *setter(void *u) { pthread_mutex_lock(&m); atomic_store(&flag, 1); pthread_mutex_unlock(&m); return 0; }
static void *waiter(void *u) { sem_wait(&s); return 0; }
int main(void) {
  pthread_t a, b;
  sem_init(&s, 0, 0);
  pthread_create(&b, 0, waiter, 0);
  pthread_create(&a, 0, setter, 0);
  for (;;) { pthread_mutex_lock(&m); int f = atomic_load(&flag); pthread_mutex_unlock(&m); if (f) break; }
  return 0;
}
