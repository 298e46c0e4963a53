#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
atomic_int f;
void *t(void*a){ while(!atomic_load(&f)); assert(0); return 0; }
int main(void){ pthread_t h; pthread_create(&h,0,t,0); pthread_join(h,0); return 0;}
