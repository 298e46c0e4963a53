/* A compare-exchange that writes what is there acquires, also in the round in which a thread looks again: yes. */
#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
static atomic_int x;
static int data;
static sem_t s;
static void *w(void *u) { data = 1; atomic_store_explicit(&x, 1, memory_order_release); sem_post(&s); return 0; }
int main(void) {
  pthread_t a; int t = 0;
  sem_init(&s, 0, 0);
  pthread_create(&a, 0, w, 0);
  do {
    int e = 1;
    t = 0;
    if (atomic_compare_exchange_strong_explicit(&x, &e, 1, memory_order_acquire, memory_order_relaxed)) t = data;
  } while (!t);
  sem_wait(&s);
  return 0;
}
