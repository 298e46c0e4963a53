// rc11: race two accesses race
// sc: race two accesses race
// Two threads use the same hazard pointer.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <treville.h>
static treville_hazard_t *hazard;
static int object;
static void *other(void *arg)
{
	treville_hazard_protect(hazard, &object);
	return arg;
}
int main(void)
{
	pthread_t t;
	hazard = treville_hazard_alloc();
	pthread_create(&t, 0, other, 0);
	treville_hazard_clear(hazard);
	return 0;
}
