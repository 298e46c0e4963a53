/* The same with a recursive mutex that is tried before. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
static atomic_int go, never;
static pthread_mutex_t r = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_t self;
static void *waiter(void *u) { if (atomic_load(&go)) pthread_mutex_lock(&r); return 0; }
static void *spinner(void *u) { while (!atomic_load(&never)); return 0; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, waiter, 0);
  pthread_create(&b, 0, spinner, 0);
  pthread_mutex_trylock(&r);
  atomic_store(&go, 1);
  pthread_join(a, 0);
  return 0;
}
