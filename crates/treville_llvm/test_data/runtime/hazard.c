// rc11: 3
// sc: 3
// tso: 3
// ra: 3
// One thread takes the object away and retires it; another looks whether it is still there once it has protected it.
// It may come too late at once, on its second look, or not at all.
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
		treville_hazard_protect(hazard, p);
		if (shared == p)
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
	pthread_join(t, 0);
	return 0;
}
