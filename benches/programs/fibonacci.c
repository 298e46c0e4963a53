/* Two threads add to each other's number in turn: if they take turns properly, the numbers are Fibonacci's. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int x = 1, y = 1;

static void add(atomic_int *to, atomic_int *from)
{
	for (int i = 0; i < N; i++) {
		int a = atomic_load_explicit(to, memory_order_acquire);
		int b = atomic_load_explicit(from, memory_order_acquire);
		atomic_store_explicit(to, a + b, memory_order_release);
	}
}

static void *one(void *unused)
{
	(void)unused;
	add(&x, &y);
	return 0;
}

static void *other(void *unused)
{
	(void)unused;
	add(&y, &x);
	return 0;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, one, 0);
	pthread_create(&t[1], 0, other, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	int largest = 1, before = 1;
	for (int i = 0; i < 2 * N; i++) {
		int next = largest + before;
		before = largest;
		largest = next;
	}
	assert(atomic_load(&x) <= largest && atomic_load(&y) <= largest);
	return 0;
}
