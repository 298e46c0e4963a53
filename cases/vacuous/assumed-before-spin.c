/* A thread goes on only if an assumption holds, and then spins for ever. Where the assumption fails nothing is wrong: yes. */
#include <pthread.h>
#include <stdatomic.h>
#include <treville.h>
static atomic_int x;
static void *writer(void *u) {
  atomic_store(&x, 1);
  return 0;
}
static void *spinner(void *u) {
  treville_assume(atomic_load(&x) != 0);
  for (;;) {
  }
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, writer, 0);
  pthread_create(&b, 0, spinner, 0);
  pthread_join(b, 0);
  return 0;
}
