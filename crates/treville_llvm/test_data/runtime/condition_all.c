// rc11: 8
// A broadcast wakes both: they come in two orders, wake in two, and leave in two.
#include <pthread.h>
#include <treville.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int waiting;
static void *waiter(void *arg)
{
	pthread_mutex_lock(&m);
	waiting++;
	pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return arg;
}
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, waiter, 0);
	pthread_create(&u, 0, waiter, 0);
	pthread_mutex_lock(&m);
	treville_assume(waiting == 2);
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&m);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
