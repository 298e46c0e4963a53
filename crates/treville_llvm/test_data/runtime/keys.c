// rc11: 1
// Values of a key are the thread's own, and go to the key's function at its end.
#include <assert.h>
#include <pthread.h>
static pthread_key_t key;
static int freed;
static _Thread_local int local = 3;
static void drop(void *value) { freed += *(int *)value; }
static void deep(void *value)
{
	pthread_setspecific(key, value);
	pthread_exit((void *)8);
}
static void *other(void *arg)
{
	assert(pthread_getspecific(key) == 0 && local == 3);
	local = 4;
	deep(arg);
	return 0;
}
int main(void)
{
	pthread_t t;
	void *result;
	int five = 5;
	pthread_key_create(&key, drop);
	pthread_setspecific(key, &t);
	pthread_create(&t, 0, other, &five);
	pthread_join(t, &result);
	assert(freed == 5 && result == (void *)8 && local == 3);
	assert(pthread_getspecific(key) == &t);
	return 0;
}
