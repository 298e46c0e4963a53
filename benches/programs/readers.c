/* One writer and N readers, each of which reads twice. */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int x;

static void *reader(void *unused)
{
	(void)unused;
	atomic_load_explicit(&x, memory_order_acquire);
	atomic_load_explicit(&x, memory_order_acquire);
	return 0;
}

static void *writer(void *unused)
{
	(void)unused;
	atomic_store_explicit(&x, 1, memory_order_release);
	return 0;
}

int main(void)
{
	pthread_t t[N + 1];
	pthread_create(&t[N], 0, writer, 0);
	for (int i = 0; i < N; i++)
		pthread_create(&t[i], 0, reader, 0);
	for (int i = 0; i <= N; i++)
		pthread_join(t[i], 0);
	return 0;
}
