// sc: 2
// rc11: 2
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static pthread_mutex_t recursive, checked, plain;
static int n;
static void *add(void *arg)
{
	assert(pthread_mutex_lock(&recursive) == 0);
	assert(pthread_mutex_lock(&recursive) == 0);
	assert(pthread_mutex_trylock(&recursive) == 0);
	n++;
	assert(pthread_mutex_unlock(&recursive) == 0);
	assert(pthread_mutex_unlock(&recursive) == 0);
	n++;
	assert(pthread_mutex_unlock(&recursive) == 0);
	return arg;
}
int main(void)
{
	pthread_mutexattr_t attr;
	int kind;
	pthread_t t;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutexattr_gettype(&attr, &kind);
	assert(kind == PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&recursive, &attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&checked, &attr);
	pthread_mutexattr_destroy(&attr);
	pthread_mutex_init(&plain, 0);
	assert(pthread_mutex_unlock(&checked) == EPERM);
	assert(pthread_mutex_lock(&checked) == 0);
	assert(pthread_mutex_lock(&checked) == EDEADLK);
	assert(pthread_mutex_trylock(&checked) == EBUSY);
	assert(pthread_mutex_unlock(&checked) == 0);
	assert(pthread_mutex_lock(&plain) == 0);
	assert(pthread_mutex_trylock(&plain) == EBUSY);
	assert(pthread_mutex_unlock(&plain) == 0);
	pthread_create(&t, 0, add, 0);
	add(0);
	pthread_join(t, 0);
	assert(n == 4);
	return 0;
}
