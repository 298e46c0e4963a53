#include <pthread.h>
#include <semaphore.h>
sem_t s; 
void*T0(void*u){sem_wait(&s);return 0;}
int main(){pthread_t t;sem_init(&s,0,0);pthread_create(&t,0,T0,0);pthread_join(t,0);return 0;}
