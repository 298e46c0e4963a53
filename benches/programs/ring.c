/* Store buffering in a ring of N threads: each writes its own variable and reads the next one's. */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int x[N];

static void *run(void *arg)
{
	int me = (int)(long)arg;
	atomic_store_explicit(&x[me], 1, memory_order_release);
	atomic_load_explicit(&x[(me + 1) % N], memory_order_acquire);
	return 0;
}

int main(void)
{
	pthread_t t[N];
	for (long i = 0; i < N; i++)
		pthread_create(&t[i], 0, run, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	return 0;
}
