/* The program says that it waits for something computed, and nobody gives it. */
#include <pthread.h>
#include <stdatomic.h>
void __VERIFIER_assume(int); void __VERIFIER_spin_end(int);
static atomic_int flag;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *u) { pthread_mutex_lock(&m); pthread_mutex_lock(&n); return 0; }
static void *spinner(void *u) {
  int r = atomic_load(&flag) + 1; r = r * r; __VERIFIER_spin_end(r == 4);
  
  return 0;
}
int main(void) {
  pthread_t a, b, c;
  pthread_create(&b, 0, spinner, 0);
  atomic_load(&flag);
  
  
  return 0;
}
