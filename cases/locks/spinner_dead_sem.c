/* no thread posts, beside one that spins: deadlock */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
static sem_t s0;
static atomic_int flag;
static void *spin(void *u) {  while (!atomic_load_explicit(&flag, memory_order_acquire));  return 0; }
static void *a(void *u) { sem_wait(&s0); sem_wait(&s0); return 0; }
static void *b(void *u) { sem_post(&s0); return 0; }
int main(void) {
  pthread_t h, g, s;
  sem_init(&s0, 0, 0);
  pthread_create(&s, 0, spin, 0);
  pthread_create(&h, 0, a, 0);
  pthread_create(&g, 0, b, 0);
  pthread_join(h, 0);
  pthread_join(g, 0);
  pthread_join(s, 0);
  return 0;
}
