/* The program says that it waits, and a flag ends that: yes. bmc and enumerate do not look again. */
#include <pthread.h>
#include <stdatomic.h>
void __VERIFIER_spin_start(void); void __VERIFIER_spin_end(int);
static atomic_int flag;
static void *spinner(void *u) {
  for (;;) { __VERIFIER_spin_start(); int r = atomic_load(&flag); if (r) break; __VERIFIER_spin_end(0); }
  return 0;
}
int main(void) { pthread_t b; pthread_create(&b, 0, spinner, 0); atomic_store(&flag, 1); return 0; }
