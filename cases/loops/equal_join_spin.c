// Equal threads, of which one waits in a loop: which of them is joined first tells them apart.
// verify --engine explore: no, assertion
// verify --symmetry off: no, assertion
// verify --engine bmc: no, assertion
// verify --reductions counted: no, assertion
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
static atomic_int n, y, z;
static void *t(void *u) { int k = atomic_fetch_add(&n, 1); if (k == 0) while (!atomic_load(&z)); atomic_store(&y, 1); return 0; }
int main(void) { pthread_t a, b; pthread_create(&a,0,t,0); pthread_create(&b,0,t,0);
 pthread_join(a,0);
 assert(!atomic_load(&y));
 atomic_store(&z, 1);
 pthread_join(b,0); return 0; }
