// sc: 2
// rc11: 2
// Two critical sections in either order; only normal mutexes, so no kind is looked at.
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *add(void *arg)
{
	pthread_mutex_lock(&m);
	n++;
	pthread_mutex_unlock(&m);
	return arg;
}
int main(void)
{
	pthread_t t;
	void *result;
	pthread_create(&t, 0, add, &n);
	add(0);
	pthread_join(t, &result);
	assert(result == &n && n == 2);
	return 0;
}
