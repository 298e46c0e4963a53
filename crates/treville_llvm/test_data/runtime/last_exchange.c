// rc11: 2
// A compare-exchange that is said to write for good. What it leaves in the variable for the value that it expects is not meant,
// and the second iteration overwrites it. One thread or the other comes first.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
void __VERIFIER_annotate_begin(int mask);
void __VERIFIER_annotate_end(int mask);
static atomic_int x;
static int taken;
static void set(int *expected)
{
	__VERIFIER_annotate_begin(2);
	bool done = atomic_compare_exchange_strong(&x, expected, 1);
	__VERIFIER_annotate_end(2);
	taken += done;
}
static void *other(void *arg)
{
	int expected = 0;
	atomic_compare_exchange_strong(&x, &expected, 2);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, other, 0);
	for (int i = 0; i < 2; i++) {
		int expected = 0;
		set(&expected);
	}
	return 0;
}
