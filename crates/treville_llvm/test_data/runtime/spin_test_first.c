// rc11: 2
// A loop that tests what it has read last, the first time before it: the read sees the first 0 or the last one, and there is no
// round. If it sees one of 1 to 4, a round that reads again what was read before does nothing that reading once would not.
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
