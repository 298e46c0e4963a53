/* A deadlock beside a loop that is cut, in a program with an assumption somewhere: not seen, and accepting a bound is no yes. */
#include <pthread.h>
#include <stdatomic.h>
void __VERIFIER_assume(int);
static atomic_int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *u) { pthread_mutex_lock(&m); pthread_mutex_lock(&n); return 0; }
static void *two(void *u) { pthread_mutex_lock(&n); pthread_mutex_lock(&m); return 0; }
int main(void) { pthread_t t; int k = 3; if (k > 4) __VERIFIER_assume(0); for (int i = 0; i < 3; i++) if (i == 7) __VERIFIER_assume(0); 
 pthread_create(&t, 0, one, 0); pthread_create(&t, 0, two, 0); for (int i = 0; i < 9 + atomic_load(&x); i++) atomic_fetch_add(&x, 1); return 0; }
