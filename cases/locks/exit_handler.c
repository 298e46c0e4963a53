/* main returns, and a function that was registered with atexit waits for a lock whose holder waits for the one that main holds:
   a deadlock, since the process does not end before. With -DONE main holds none. */
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, k = PTHREAD_MUTEX_INITIALIZER;
static void at_end(void) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }
static void *a(void *u) { pthread_mutex_lock(&m); pthread_mutex_lock(&k); pthread_mutex_unlock(&k); pthread_mutex_unlock(&m); return u; }
int main(void) {
  pthread_t t;
  atexit(at_end);
#ifndef ONE
  pthread_mutex_lock(&k);
#endif
  pthread_create(&t, 0, a, 0);
  return 0;
}
