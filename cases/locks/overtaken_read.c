/* The assertion fails if the threads take turns: the second, the third, the first. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
void *t1(void *u) { int r = x; pthread_mutex_lock(&l); pthread_mutex_unlock(&l); assert(r != 1); return 0; }
void *t2(void *u) { pthread_mutex_lock(&l); y = 1; pthread_mutex_unlock(&l); return 0; }
void *t3(void *u) { if (y) x = 1; return 0; }
int main() { pthread_t a,b,c; pthread_create(&a,0,t1,0); pthread_create(&b,0,t2,0); pthread_create(&c,0,t3,0);
 pthread_join(a,0); pthread_join(b,0); pthread_join(c,0); return 0; }
