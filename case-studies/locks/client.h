/* What every lock here is checked with: N threads each take it once and increment a counter that is not atomic. Without
 * mutual exclusion, or without the order that unlocking and locking must give, two increments race.
 *
 * A lock defines `void lock(int me)` and `void unlock(int me)`, with `me` from 0 to N-1, and then includes this file. */
#include <assert.h>
#include <pthread.h>

static int counter;

static void *worker(void *arg)
{
	int me = (int)(long)arg;
	lock(me);
	counter++;
	unlock(me);
	return 0;
}

int main(void)
{
	pthread_t t[N];
	for (long i = 0; i < N; i++)
		pthread_create(&t[i], 0, worker, (void *)i);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	assert(counter == N);
	return 0;
}
