/* A loop ends when an unknown value is 0, and with it the process: whether somebody waits for ever is not seen. */
#include <pthread.h>
#include <stdatomic.h>
#include <semaphore.h>
int __VERIFIER_nondet_int(void);
static atomic_int x;
static sem_t s;
static void *b(void *u) { if (atomic_load(&x)) sem_wait(&s); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, b, 0); atomic_store(&x, 1); while (__VERIFIER_nondet_int()); if (0) sem_post(&s);  return 0; }
