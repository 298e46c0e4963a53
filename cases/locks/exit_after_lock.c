/* A thread waits for a signal that nobody gives; main waits for one that takes the mutex later, then ends the process: yes. */
#include <pthread.h>
static pthread_mutex_t m;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static void *locker(void *u) {
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  return 0;
}
static void *waiter(void *u) {
  pthread_mutex_lock(&m);
  pthread_cond_wait(&cond, &m);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_mutexattr_t at;
  pthread_mutexattr_init(&at);
  pthread_mutexattr_settype(&at, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&m, &at);
  pthread_create(&a, 0, locker, 0);
  pthread_create(&b, 0, waiter, 0);
  pthread_join(a, 0);
  return 0;
}
