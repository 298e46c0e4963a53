/* A thread and the first one join each other: deadlock. */
#include <pthread.h>
static void *w(void *u) { pthread_join(*(pthread_t *)u, 0); return 0; }
int main(void) { pthread_t t, m = pthread_self(); pthread_create(&t, 0, w, &m); pthread_join(t, 0); return 0; }
