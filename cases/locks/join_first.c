/* A thread joins the first one, which has ended: yes. */
#include <pthread.h>
static pthread_t m;
static void *w(void *u) { pthread_join(m, 0); return 0; }
int main(void) { pthread_t t; m = pthread_self(); pthread_create(&t, 0, w, 0); pthread_exit(0); }
