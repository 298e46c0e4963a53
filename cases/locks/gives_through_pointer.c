/* The same where only a call through a pointer could post: yes. */
#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
static atomic_int stop, started, count;
static sem_t s;
static void step(void) { atomic_fetch_add(&count, 1); }
static void (*work)(void) = step;
static void *spinner(void *u) {
  work();
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
