#include <pthread.h>
pthread_mutex_t m=PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c=PTHREAD_COND_INITIALIZER; int f;
void*T0(void*u){pthread_mutex_lock(&m);while(!f)pthread_cond_wait(&c,&m);pthread_mutex_unlock(&m);return 0;}
int main(){pthread_t t;pthread_create(&t,0,T0,0);pthread_cond_signal(&c);pthread_mutex_lock(&m);f=1;pthread_mutex_unlock(&m);pthread_join(t,0);return 0;}
