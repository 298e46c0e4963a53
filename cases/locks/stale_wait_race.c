/* T1 may read before x is initialised without synchronisation: a race, although it then waits */
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
void*T0(void*u){*(int*)&x=0; atomic_store_explicit(&x,1,memory_order_release);return 0;}
void*T1(void*u){while(!atomic_load_explicit(&x,memory_order_acquire));return 0;}
int main(){pthread_t t[2];pthread_create(&t[0],0,T0,0);pthread_create(&t[1],0,T1,0);pthread_join(t[0],0);pthread_join(t[1],0);return 0;}
