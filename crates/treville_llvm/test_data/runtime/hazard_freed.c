// rc11: double-free an object is both retired and freed
// sc: double-free an object is both retired and freed
// Retired, and freed as well.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <treville.h>
int main(void)
{
	int *object = malloc(sizeof *object);
	treville_hazard_retire(object);
	free(object);
	return 0;
}
