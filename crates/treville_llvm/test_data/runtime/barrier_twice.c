// rc11: api-misuse a barrier is initialised that is already
// After it is destroyed, or in memory that nobody has written, a barrier may be initialised; while it is one, it may not.
#include <pthread.h>
#include <stdlib.h>
int main(void)
{
	pthread_barrier_t *b = malloc(sizeof *b);
	pthread_barrier_init(b, 0, 1);
	pthread_barrier_destroy(b);
	pthread_barrier_init(b, 0, 1);
	pthread_barrier_wait(b);
	pthread_barrier_init(b, 0, 2);
	return 0;
}
