// rc11: 5
// Neither thread increments, one of two does, or both do, in either order.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
_Bool __VERIFIER_nondet_bool(void);
static atomic_int x;
static void *other(void *arg)
{
	if (__VERIFIER_nondet_bool())
		x++;
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, other, 0);
	pthread_create(&b, 0, other, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(x <= 2);
	return 0;
}
