// A thread that joins one of two equal threads and ends: whoever joins it knows that the one has ended, not the other.
// verify: no, race
// verify --symmetry off: no, race
// verify --engine bmc: no, race
// verify --reductions counted: no, race
#include <pthread.h>
#include <stdatomic.h>
static atomic_int n; static int slot[2];
static void *t(void *u) { int k = atomic_fetch_add_explicit(&n, 1, memory_order_relaxed); slot[k] = 1; return 0; }
static void *starts(void *u) { pthread_t a, b; pthread_create(&a,0,t,0); pthread_create(&b,0,t,0); pthread_join(a,0); return 0; }
int main(void) { pthread_t a; pthread_create(&a,0,starts,0); pthread_join(a,0);
 return slot[0]; }
