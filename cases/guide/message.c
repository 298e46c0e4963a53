#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int message;
static atomic_int ready;

static void *sender(void *unused)
{
	message = 42;
	atomic_store_explicit(&ready, 1, memory_order_relaxed);
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, sender, 0);
	if (atomic_load_explicit(&ready, memory_order_acquire))
		assert(message == 42);
	pthread_join(t, 0);
	return 0;
}
