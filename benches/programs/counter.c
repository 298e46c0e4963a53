/* A counter: N threads each increment it once. N! orders. */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int counter;

static void *increment(void *unused)
{
	(void)unused;
	atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
	return 0;
}

int main(void)
{
	pthread_t t[N];
	for (int i = 0; i < N; i++)
		pthread_create(&t[i], 0, increment, 0);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	return 0;
}
