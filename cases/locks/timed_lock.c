/* a timed lock times out: no thread waits for ever */
#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *holder(void *u) {
  struct timespec t = {0, 0};
  pthread_mutex_lock(&m);
  pthread_mutex_timedlock(&m, &t);
  return 0;
}
int main(void) {
  pthread_t h;
  pthread_create(&h, 0, holder, 0);
  pthread_join(h, 0);
  return 0;
}
