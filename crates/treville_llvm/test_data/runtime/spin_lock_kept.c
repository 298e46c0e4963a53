// rc11: api-misuse a lock is released that this thread does not hold
// The first iteration releases a lock that was taken before the loop, the second one has none to release: taking part in the
// order of the lock is an effect there.
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int done;
int main(void)
{
	pthread_mutex_lock(&m);
	while (!done)
		pthread_mutex_unlock(&m);
	return 0;
}
