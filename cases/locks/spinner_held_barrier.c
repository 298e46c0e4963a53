/* the thread that spins would arrive at the barrier: no deadlock */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
static pthread_barrier_t w;
static atomic_int flag;
static void *spin(void *u) {  while (!atomic_load_explicit(&flag, memory_order_acquire)); pthread_barrier_wait(&w); return 0; }
static void *a(void *u) { pthread_barrier_wait(&w); return 0; }
static void *b(void *u) {  return 0; }
int main(void) {
  pthread_t h, g, s;
  pthread_barrier_init(&w, 0, 2);
  pthread_create(&s, 0, spin, 0);
  pthread_create(&h, 0, a, 0);
  pthread_create(&g, 0, b, 0);
  pthread_join(h, 0);
  pthread_join(g, 0);
  pthread_join(s, 0);
  return 0;
}
