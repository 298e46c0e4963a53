// Equal threads are told apart by what is left of an address when some of its bytes are overwritten.
// verify: no, assertion
// verify --symmetry off: no, assertion
// verify --model sc: no, assertion
// verify --reductions counted: no, assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
atomic_ulong s;
void *T(void *u)
{
	union {
		void *p;
		volatile unsigned char byte[8];
	} x = {malloc(4)};
	unsigned long m, o;
	x.byte[5] = 0;
	m = (unsigned long)x.p;
	o = atomic_exchange(&s, m);
	assert(o <= m);
	return 0;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, T, 0);
	pthread_create(&b, 0, T, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
