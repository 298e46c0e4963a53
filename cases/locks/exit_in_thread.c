/* a thread ends the process while it holds a lock: whoever waits for the lock or for the thread goes no further */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *ends(void *u) { pthread_mutex_lock(&m); exit(0); return u; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, ends, 0);
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
  assert(0);
  return 0;
}
