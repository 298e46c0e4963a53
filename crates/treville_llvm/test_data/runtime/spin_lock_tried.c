// rc11: an execution has more than 64000 events (option `max-events` is the limit, option `bound` bounds loops)
// The other thread sees that the lock is held: an iteration is not without an effect.
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int held;
static void *other(void *arg)
{
	if (pthread_mutex_trylock(&m))
		held = 1;
	else
		pthread_mutex_unlock(&m);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, other, 0);
	while (!held) {
		pthread_mutex_lock(&m);
		pthread_mutex_unlock(&m);
	}
	return 0;
}
