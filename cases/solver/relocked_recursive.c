/* An owner locks its recursive mutex again; the other thread waits until it is released as often. */
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m;
static int x;
static void *thread1(void *arg) {
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&m);
  x++;
  pthread_mutex_unlock(&m);
  x++;
  pthread_mutex_unlock(&m);
  return 0;
}
static void *thread2(void *arg) {
  pthread_mutex_lock(&m);
  assert(x != 1);
  x++;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t h, g;
  pthread_mutexattr_t at;
  pthread_mutexattr_init(&at);
  pthread_mutexattr_settype(&at, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&m, &at);
  pthread_create(&h, 0, thread1, 0);
  pthread_create(&g, 0, thread2, 0);
  pthread_join(h, 0);
  pthread_join(g, 0);
#ifdef FAILS
  assert(x != 3);
#else
  assert(x == 3);
#endif
  return 0;
}
