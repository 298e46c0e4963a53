// A thread is started after a seq_cst store, and its first access is a seq_cst load: the start is part of the order of both.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
int r = 1, s = 1;
void *a(void *arg) { atomic_store(&x, 1); r = atomic_load(&y); return 0; }
void *b(void *arg) { s = atomic_load(&x); return 0; }
int main(void) {
  pthread_t ta, tb;
  pthread_create(&ta, 0, a, 0);
  atomic_store(&y, 1);
  pthread_create(&tb, 0, b, 0);
  pthread_join(ta, 0); pthread_join(tb, 0);
  assert(r == 1 || s == 1);
  return 0;
}
