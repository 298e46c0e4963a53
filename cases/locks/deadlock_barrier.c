#include <pthread.h>
pthread_barrier_t b;
void*T0(void*u){pthread_barrier_wait(&b);return 0;}
int main(){pthread_t t;pthread_barrier_init(&b,0,3);pthread_create(&t,0,T0,0);pthread_barrier_wait(&b);pthread_join(t,0);return 0;}
