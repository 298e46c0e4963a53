/* An owner that locks its error-checking mutex again is told so, and goes on: its failing read is not of the last write. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static pthread_mutex_t m;
static int x, y;
static void *thread1(void *arg) {
  pthread_mutex_lock(&m);
  if (pthread_mutex_lock(&m) == EDEADLK) x = 1;
  pthread_mutex_unlock(&m);
  return 0;
}
static void *thread2(void *arg) {
  if (pthread_mutex_trylock(&m) == 0) {
    y = 1;
    pthread_mutex_unlock(&m);
  }
  return 0;
}
int main(void) {
  pthread_t h, g;
  pthread_mutexattr_t at;
  pthread_mutexattr_init(&at);
  pthread_mutexattr_settype(&at, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&m, &at);
  pthread_create(&h, 0, thread1, 0);
  pthread_create(&g, 0, thread2, 0);
  pthread_join(h, 0);
  pthread_join(g, 0);
  assert(!(x == 1 && y == 1));
  return 0;
}
