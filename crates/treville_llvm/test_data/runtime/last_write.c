// rc11: api-misuse a write that is said to be the last one is overwritten
// Only one of the two may be the last, and one of them says that it is.
#include <pthread.h>
#include <stdatomic.h>
void __VERIFIER_annotate_begin(int mask);
void __VERIFIER_annotate_end(int mask);
static atomic_int x;
static void *other(void *arg)
{
	__VERIFIER_annotate_begin(2);
	x = 1;
	__VERIFIER_annotate_end(2);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, other, 0);
	x = 2;
	return 0;
}
