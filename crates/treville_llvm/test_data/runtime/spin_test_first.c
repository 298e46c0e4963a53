// rc11: 6
// A loop that tests what it has read last. The read before it sees a 0, the first or the last, and there is no round; or it
// sees one of 1 to 4, and the first round sees the last 0. A second round would do what the first did: it waits.
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;

void *writer(void *arg)
{
	for (int i = 1; i <= 5; i++)
		atomic_store_explicit(&x, i % 5, memory_order_relaxed);
	return 0;
}

void *reader(void *arg)
{
	int a = atomic_load_explicit(&x, memory_order_relaxed);
	while (a != 0)
		a = atomic_load_explicit(&x, memory_order_relaxed);
	return 0;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, writer, 0);
	pthread_create(&u, 0, reader, 0);
	return 0;
}
