// rc11: use-after-free an object is used that was retired, and no hazard pointer protects it
// sc: use-after-free an object is used that was retired, and no hazard pointer protects it
// Another thread clears the hazard pointer, after it was set but perhaps before the object is read.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <treville.h>
static treville_hazard_t *hazard;
static _Atomic(int *) shared;
static atomic_int protected;
static void *other(void *arg)
{
	if (protected)
		treville_hazard_clear(hazard);
	return arg;
}
static void *remover(void *arg)
{
	treville_hazard_retire(atomic_exchange(&shared, 0));
	return arg;
}
int main(void)
{
	pthread_t t, u;
	int *object = malloc(sizeof *object);
	*object = 1;
	shared = object;
	hazard = treville_hazard_alloc();
	pthread_create(&t, 0, other, 0);
	pthread_create(&u, 0, remover, 0);
	int *p = shared;
	if (p) {
		treville_hazard_protect(hazard, p);
		protected = 1;
		treville_assert(*p == 1);
	}
	return 0;
}
