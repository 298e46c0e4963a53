// sc: 3
// rc11: 3
// The writer comes before, between or after two readers of one thread.
#include <assert.h>
#include <pthread.h>
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int a, b;
static void *writer(void *arg)
{
	pthread_rwlock_wrlock(&l);
	a = 1;
	b = 1;
	pthread_rwlock_unlock(&l);
	return arg;
}
static void *reader(void *arg)
{
	pthread_rwlock_rdlock(&l);
	assert(a == b);
	pthread_rwlock_unlock(&l);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, writer, 0);
	reader(0);
	reader(0);
	pthread_join(t, 0);
	assert(pthread_rwlock_trywrlock(&l) == 0);
	assert(pthread_rwlock_tryrdlock(&l) != 0);
	pthread_rwlock_unlock(&l);
	return 0;
}
