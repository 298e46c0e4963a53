/* the same for semaphores and condition variables */
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static void *waiter(void *u) {
  struct timespec t = {0, 0};
  sem_timedwait(&s, &t);
  pthread_mutex_lock(&m);
  pthread_cond_timedwait(&c, &m, &t);
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t h;
  sem_init(&s, 0, 0);
  pthread_create(&h, 0, waiter, 0);
  pthread_join(h, 0);
  return 0;
}
