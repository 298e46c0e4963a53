// rc11: invalid-free what is freed is not the start of an object on the heap
// sc: invalid-free what is freed is not the start of an object on the heap
// What is retired is not on the heap.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <treville.h>
static int object;
int main(void)
{
	treville_hazard_retire(&object);
	return 0;
}
