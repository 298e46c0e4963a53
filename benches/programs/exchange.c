/* N threads write their number and then try to exchange it for the sum of all: few of the exchanges succeed. */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int x;

static void *run(void *arg)
{
	int me = (int)(long)arg;
	atomic_store_explicit(&x, me, memory_order_relaxed);
	int old = me;
	atomic_compare_exchange_strong_explicit(&x, &old, N * me, memory_order_relaxed, memory_order_relaxed);
	return 0;
}

int main(void)
{
	pthread_t t[N];
	for (long i = 0; i < N; i++)
		pthread_create(&t[i], 0, run, (void *)(i + 1));
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	return 0;
}
