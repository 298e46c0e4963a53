// rc11: use-after-free an object is used that was retired, and no hazard pointer protects it
// sc: use-after-free an object is used that was retired, and no hazard pointer protects it
// The reader knows that the object was retired, and protects it all the same.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <treville.h>
static int *shared;
static atomic_int retired;
static void *reader(void *arg)
{
	treville_hazard_t *hazard = treville_hazard_alloc();
	if (retired) {
		treville_hazard_protect(hazard, shared);
		treville_assert(*shared == 1);
	}
	treville_hazard_free(hazard);
	return arg;
}
int main(void)
{
	pthread_t t;
	shared = malloc(sizeof *shared);
	*shared = 1;
	pthread_create(&t, 0, reader, 0);
	treville_hazard_retire(shared);
	retired = 1;
	return 0;
}
