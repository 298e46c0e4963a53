// rc11: 4
// Either thread is the one; the other comes while it is at it, or when it is done.
#include <assert.h>
#include <pthread.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int n;
static void init(void) { n++; }
static void *other(void *arg)
{
	pthread_once(&once, init);
	assert(n == 1);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, other, 0);
	other(0);
	pthread_join(t, 0);
	return 0;
}
