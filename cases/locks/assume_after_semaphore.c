/* A thread gets its semaphore and fails its assumption, so that the deadlock of two others does not count: yes. */
#include <pthread.h>
#include <semaphore.h>
void __VERIFIER_assume(int);
static sem_t s;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *u) { pthread_mutex_lock(&m); pthread_mutex_lock(&n); return 0; }
static void *waiter(void *u) { sem_wait(&s); __VERIFIER_assume(0); return 0; }
int main(void) {
  pthread_t a, b, c;
  sem_init(&s, 0, 0);
  pthread_create(&b, 0, waiter, 0);
  sem_post(&s);
  pthread_create(&c, 0, one, 0);
  pthread_mutex_lock(&n); pthread_mutex_lock(&m);
  return 0;
}
