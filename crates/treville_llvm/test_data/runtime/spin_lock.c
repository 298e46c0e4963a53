// rc11: 2
// sc: 2
// tso: 2
// ra: 2
// A loop that looks under a lock whether others are done waits without an effect, though it takes locks each time. It ends
// when both are, and they take the lock in one order or the other.
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int done;
static void *worker(void *arg)
{
	pthread_mutex_lock(&m);
	done += 1;
	pthread_mutex_unlock(&m);
	return arg;
}
static int is_done(void)
{
	pthread_mutex_lock(&n);
	pthread_mutex_lock(&m);
	int all = 0;
	for (int i = 0; i < 2; i++)
		all += done == 2;
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&n);
	return all == 2;
}
int main(void)
{
	pthread_t t[2];
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], 0, worker, (void *)i);
	while (!is_done())
		;
	return 0;
}
