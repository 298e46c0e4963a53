#include <pthread.h>
#include <stdatomic.h>
pthread_mutex_t a=PTHREAD_MUTEX_INITIALIZER,b=PTHREAD_MUTEX_INITIALIZER; atomic_int done;
void*T0(void*u){pthread_mutex_lock(&a);pthread_mutex_lock(&b);pthread_mutex_unlock(&b);pthread_mutex_unlock(&a);done=1;return 0;}
void*T1(void*u){pthread_mutex_lock(&b);pthread_mutex_lock(&a);pthread_mutex_unlock(&a);pthread_mutex_unlock(&b);return 0;}
void*T2(void*u){while(!done);return 0;}
int main(){pthread_t t[4];pthread_create(&t[0],0,T0,0);pthread_create(&t[1],0,T1,0);pthread_create(&t[2],0,T2,0);pthread_join(t[0],0);pthread_join(t[1],0);pthread_join(t[2],0);return 0;}
