/* A thread whose code posts somewhere may give something, whatever is known of its branches: no deadlock, yes. */
#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
static atomic_int stop, started;
static sem_t s;
static void *spinner(void *u) {
  for (int i = 0; i < 3; i++) if (i == 5) sem_post(&s);
  atomic_store(&started, 1);
  while (!atomic_load(&stop));
  return 0;
}
int main(void) {
  pthread_t b;
  sem_init(&s, 0, 0);
  pthread_create(&b, 0, spinner, 0);
  if (atomic_load(&started)) sem_wait(&s);
  atomic_store(&stop, 1);
  pthread_join(b, 0);
  return 0;
}
