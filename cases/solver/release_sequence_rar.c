// Under rar a release sequence is its first write only: what an update in between passes on does not order the two accesses.
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int flag;

static void *sender(void *unused)
{
	data = 1;
	atomic_store_explicit(&flag, 1, memory_order_release);
	return unused;
}

static void *between(void *unused)
{
	atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
	return unused;
}

int main(void)
{
	pthread_t s, b;
	int seen = 0;
	pthread_create(&s, 0, sender, 0);
	pthread_create(&b, 0, between, 0);
	if (atomic_load_explicit(&flag, memory_order_acquire) == 2)
		seen = *(volatile int *)&data;
	pthread_join(s, 0);
	pthread_join(b, 0);
	return seen;
}
