/* who does not get the semaphore does not synchronise with who gave it: a race */
#include <pthread.h>
#include <semaphore.h>
static sem_t s;
static int x;
static void *gives(void *u) {
  x = 1;
  sem_post(&s);
  sem_trywait(&s);
  sem_trywait(&s);
  return 0;
}
static void *asks(void *u) {
  if (sem_trywait(&s) != 0) return (void *)(long)x;
  return 0;
}
int main(void) {
  pthread_t h, g;
  sem_init(&s, 0, 1);
  pthread_create(&h, 0, gives, 0);
  pthread_create(&g, 0, asks, 0);
  pthread_join(h, 0);
  pthread_join(g, 0);
  return 0;
}
