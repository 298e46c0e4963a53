// rc11: use-after-free
// The variables of all active functions go when their thread ends.
#include <pthread.h>
#include <stdatomic.h>
static _Atomic(int *) p;
static void leave(int *x)
{
	p = x;
	pthread_exit(0);
}
static void *other(void *arg)
{
	int x = 0;
	leave(&x);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, other, 0);
	int *q = p;
	if (q)
		*q = 42;
	pthread_join(t, 0);
	return 0;
}
