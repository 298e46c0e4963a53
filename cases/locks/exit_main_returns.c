/* main returns while another thread waits for its lock: the process ends, so nothing waits for ever */
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *waits(void *u) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return u; }
int main(void) {
  pthread_t t;
  pthread_mutex_lock(&m);
  pthread_create(&t, 0, waits, 0);
#ifdef LEAVES
  pthread_exit(0);
#endif
  return 0;
}
