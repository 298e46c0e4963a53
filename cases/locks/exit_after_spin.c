/* A thread waits for a signal that nobody gives; main waits for one that spins until a flag is set, then ends the process: yes. With STUCK it is never set, and the process never ends: deadlock. */
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static void *setter(void *u) {
#ifndef STUCK
  atomic_store(&flag, 1);
#endif
  return 0;
}
static void *spinner(void *u) { while (!atomic_load(&flag)); return 0; }
static void *waiter(void *u) { pthread_mutex_lock(&m); pthread_cond_wait(&cond, &m); pthread_mutex_unlock(&m); return 0; }
int main(void) {
  pthread_t a, b, c;
  pthread_create(&c, 0, waiter, 0);
  pthread_create(&a, 0, setter, 0);
  pthread_create(&b, 0, spinner, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
