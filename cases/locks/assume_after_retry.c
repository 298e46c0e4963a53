/* Two threads may wait for each other; then a third tries for ever, and never comes to its assumption: deadlock. */
#include <pthread.h>
#include <stdatomic.h>
void __VERIFIER_assume(int);
static atomic_int flag, y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *u) { pthread_mutex_lock(&m); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m); atomic_store(&flag, 1); return 0; }
static void *spinner(void *u) {
  int e = 1;
  while (!atomic_compare_exchange_strong(&flag, &e, 2)) e = 1;
  __VERIFIER_assume(y == 0);
  return 0;
}
int main(void) {
  pthread_t a, b, c;
  pthread_create(&b, 0, spinner, 0);
  pthread_create(&c, 0, one, 0);
  pthread_mutex_lock(&n); pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m); pthread_mutex_unlock(&n);
  return 0;
}
