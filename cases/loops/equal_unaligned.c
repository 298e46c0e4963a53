// Equal threads are told apart by eight bytes of their own memory, half of them those of an address.
// verify: no, assertion
// verify --symmetry off: no, assertion
// verify --model sc: no, assertion
// verify --reductions counted: no, assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
atomic_ulong s;
void *T(void *u)
{
	void *p = malloc(4);
	char bytes[24] = {0};
	unsigned long m, o;
	memcpy(bytes + 4, &p, 8);
	memcpy(&m, bytes + 8, 8);
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
