// rc11: use-after-free an object is used that was retired, and no hazard pointer protects it
// sc: use-after-free an object is used that was retired, and no hazard pointer protects it
// Nothing protects what the reader has found.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <treville.h>
static _Atomic(int *) shared;
static void *reader(void *arg)
{
	treville_hazard_t *hazard = treville_hazard_alloc();
	int *p = shared;
	if (p) {
		treville_assert(*p == 1);
	}
	treville_hazard_free(hazard);
	return arg;
}
int main(void)
{
	pthread_t t;
	int *object = malloc(sizeof *object);
	*object = 1;
	shared = object;
	pthread_create(&t, 0, reader, 0);
	treville_hazard_retire(atomic_exchange(&shared, 0));
	return 0;
}
