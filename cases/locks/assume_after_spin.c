/* Two threads may wait for each other beside one that spins, goes on, and then fails its assumption: such executions do not count, so
   yes. With HOLDS it does not fail: deadlock. */
#include <pthread.h>
#include <stdatomic.h>
void __VERIFIER_assume(int);
static atomic_int flag;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *u) { pthread_mutex_lock(&m); pthread_mutex_lock(&n); return 0; }
static void *spinner(void *u) {
  while (!atomic_load(&flag));
  #ifdef HOLDS
  __VERIFIER_assume(1);
#else
  __VERIFIER_assume(0);
#endif
  return 0;
}
int main(void) {
  pthread_t a, b, c;
  pthread_create(&b, 0, spinner, 0);
  atomic_store(&flag, 1);
  pthread_create(&c, 0, one, 0);
  pthread_mutex_lock(&n); pthread_mutex_lock(&m);
  return 0;
}
