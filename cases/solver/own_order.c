// The reader sees the second, relaxed write. In C11 that still orders the two accesses to `data`; in C++20, and under a model that says less, it does not.
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int flag;

static void *sender(void *unused)
{
	data = 1;
	atomic_store_explicit(&flag, 1, memory_order_release);
	atomic_store_explicit(&flag, 2, memory_order_relaxed);
	return unused;
}

int main(void)
{
	pthread_t s;
	int seen = 0;
	pthread_create(&s, 0, sender, 0);
	if (atomic_load_explicit(&flag, memory_order_acquire) == 2)
		seen = *(volatile int *)&data;
	pthread_join(s, 0);
	return seen;
}
