// What comes after a call through a pointer depends on the pointer, as it depends on any branch before it: imm keeps it behind the read.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int y;
int result;

static int one(void) { return 1; }

static int two(void) { return 2; }

_Atomic(int (*)(void)) chosen = one;

void *caller(void *unused) {
  int (*function)(void) = atomic_load_explicit(&chosen, memory_order_relaxed);
  int found = function();
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  result = found;
  return 0;
}

void *chooser(void *unused) {
  if (atomic_load_explicit(&y, memory_order_relaxed)) atomic_store_explicit(&chosen, two, memory_order_relaxed);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, caller, 0);
  pthread_create(&b, 0, chooser, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(result == 1);
}
