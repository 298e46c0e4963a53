// rc11: 1
// A wait loop that says so itself.
#include <pthread.h>
#include <stdatomic.h>
#include <treville.h>
static atomic_int flag;
static void *other(void *arg)
{
	atomic_store(&flag, 1);
	return arg;
}
int main(void)
{
	pthread_t t;
	int left;
	pthread_create(&t, 0, other, 0);
	do {
		treville_spin_start();
		left = atomic_load(&flag);
		treville_spin_end(left);
	} while (!left);
	return 0;
}
