#include <pthread.h>
#include <stdatomic.h>
pthread_t h[2]; atomic_int go;
void*T0(void*u){while(!go); pthread_join(h[1],0); return 0;}
void*T1(void*u){while(!go); pthread_join(h[0],0); return 0;}
int main(){pthread_create(&h[0],0,T0,0);pthread_create(&h[1],0,T1,0);go=1;pthread_exit(0);}
