/* a signal that comes too early is lost, beside one that spins: deadlock */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER; static int x;
static atomic_int flag;
static void *spin(void *u) {  while (!atomic_load_explicit(&flag, memory_order_acquire));  return 0; }
static void *a(void *u) { pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return 0; }
static void *b(void *u) { pthread_cond_signal(&c); return 0; }
int main(void) {
  pthread_t h, g, s;
  pthread_create(&s, 0, spin, 0);
  pthread_create(&h, 0, a, 0);
  pthread_create(&g, 0, b, 0);
  pthread_join(h, 0);
  pthread_join(g, 0);
  pthread_join(s, 0);
  return 0;
}
