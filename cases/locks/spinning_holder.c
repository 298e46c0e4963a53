/* one spins for ever while it holds a mutex: no deadlock, but a loop that waits for ever */
#include <pthread.h>
#include <stdatomic.h>
pthread_mutex_t a=PTHREAD_MUTEX_INITIALIZER; atomic_int f;
void*T0(void*u){pthread_mutex_lock(&a);while(!f);pthread_mutex_unlock(&a);return 0;}
void*T1(void*u){pthread_mutex_lock(&a);pthread_mutex_unlock(&a);return 0;}
int main(){pthread_t t[3];pthread_create(&t[0],0,T0,0);pthread_create(&t[1],0,T1,0);pthread_join(t[0],0);pthread_join(t[1],0);return 0;}
