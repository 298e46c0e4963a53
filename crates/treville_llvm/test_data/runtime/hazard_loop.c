// rc11: use-after-free an object is used that was retired, and no hazard pointer protects it
// sc: use-after-free an object is used that was retired, and no hazard pointer protects it
// A loop that protects anew what it finds, for as long as nothing is there. It does not look again after that: the object can be
// retired between the read and the protection.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <treville.h>
static _Atomic(int *) shared;
static atomic_int found;
static void *reader(void *arg)
{
	treville_hazard_t *hazard = treville_hazard_alloc();
	int *p;
	do {
		p = shared;
		treville_hazard_protect(hazard, p);
	} while (!p);
	treville_assert(*p == 1);
	found = 1;
	treville_hazard_free(hazard);
	return arg;
}
int main(void)
{
	pthread_t t;
	int *object = malloc(sizeof *object);
	*object = 1;
	pthread_create(&t, 0, reader, 0);
	shared = object;
	treville_hazard_retire(object);
	return found;
}
