#include <pthread.h>
pthread_rwlock_t a=PTHREAD_RWLOCK_INITIALIZER,b=PTHREAD_RWLOCK_INITIALIZER;
void*T0(void*u){pthread_rwlock_rdlock(&a);pthread_rwlock_wrlock(&b);pthread_rwlock_unlock(&b);pthread_rwlock_unlock(&a);return 0;}
void*T1(void*u){pthread_rwlock_rdlock(&b);pthread_rwlock_wrlock(&a);pthread_rwlock_unlock(&a);pthread_rwlock_unlock(&b);return 0;}
int main(){pthread_t t[2];pthread_create(&t[0],0,T0,0);pthread_create(&t[1],0,T1,0);pthread_join(t[0],0);pthread_join(t[1],0);return 0;}
