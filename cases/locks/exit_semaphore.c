/* main returns while a thread waits for a semaphore that nobody posts: the process ends. With -DLEAVES only main's thread does: a deadlock */
#include <pthread.h>
#include <semaphore.h>
static sem_t s;
static void *waits(void *u) { sem_wait(&s); return u; }
int main(void) {
  pthread_t t;
  sem_init(&s, 0, 0);
  pthread_create(&t, 0, waits, 0);
#ifdef LEAVES
  pthread_exit(0);
#endif
  return 0;
}
