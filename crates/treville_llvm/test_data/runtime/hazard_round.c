// rc11: use-after-free an object is used that was retired, and no hazard pointer protects it
// sc: use-after-free an object is used that was retired, and no hazard pointer protects it
// A round of the loop that only waits leaves the first object unprotected; without that round nothing fails.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <treville.h>
static _Atomic(int *) first, second;
static atomic_int done;
static void *reader(void *arg)
{
	treville_hazard_t *hazard = treville_hazard_alloc();
	int *p = first;
	if (!p)
		return arg;
	treville_hazard_protect(hazard, p);
	if (first != p)
		return arg;
	while (!done)
		treville_hazard_protect(hazard, second);
	treville_assert(*p == 1);
	return arg;
}
int main(void)
{
	pthread_t t;
	int *object = malloc(sizeof *object);
	*object = 1;
	first = object;
	second = malloc(sizeof *object);
	pthread_create(&t, 0, reader, 0);
	treville_hazard_retire(atomic_exchange(&first, 0));
	done = 1;
	return 0;
}
