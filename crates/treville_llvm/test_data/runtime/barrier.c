// rc11: 4
// Two rounds, each with two orders of arrival; what comes before the barrier is seen after it.
#include <assert.h>
#include <pthread.h>
static pthread_barrier_t b;
static int x, y, serial[2];
static void *other(void *arg)
{
	x = 1;
	serial[0] = pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD;
	assert(y == 1);
	pthread_barrier_wait(&b);
	x = 2;
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_barrier_init(&b, 0, 2);
	pthread_create(&t, 0, other, 0);
	y = 1;
	serial[1] = pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD;
	assert(x == 1);
	pthread_barrier_wait(&b);
	pthread_join(t, 0);
	assert(serial[0] + serial[1] == 1 && x == 2);
	pthread_barrier_destroy(&b);
	return 0;
}
