#include <assert.h>
#include <pthread.h>
static int x;
void __VERIFIER_atomic_inc(void) { x++; }
static void *t(void *u) { __VERIFIER_atomic_inc(); return 0; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, t, 0);
  pthread_create(&b, 0, t, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(x == 2);
}
