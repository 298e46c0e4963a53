/* joins a thread that waits for a mutex that the joining one holds, while a third spins */
#include <pthread.h>
#include <stdatomic.h>
pthread_mutex_t a=PTHREAD_MUTEX_INITIALIZER; atomic_int f;
void*T1(void*u){pthread_mutex_lock(&a);pthread_mutex_unlock(&a);return 0;}
void*T2(void*u){while(!f);return 0;}
int main(){pthread_t t,s;pthread_mutex_lock(&a);pthread_create(&s,0,T2,0);pthread_create(&t,0,T1,0);pthread_join(t,0);pthread_mutex_unlock(&a);f=1;pthread_join(s,0);return 0;}
