// rc11: double-free an object is retired twice
// sc: double-free an object is retired twice
// Retired twice.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <treville.h>
int main(void)
{
	int *object = malloc(sizeof *object);
	treville_hazard_retire(object);
	treville_hazard_retire(object);
	return 0;
}
