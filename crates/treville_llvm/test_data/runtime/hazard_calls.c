// rc11: 3
// sc: 3
// What a function has read that has returned is no part of what another one tries again, at the same depth. Looking sees the
// object or not, taking as well, but not less than looking; a failed attempt adds nothing.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <treville.h>
static _Atomic(int *) shared;
static int take(treville_hazard_t *hazard)
{
	int *p = atomic_load(&shared);
	while (!atomic_compare_exchange_strong(&shared, &p, (int *)0))
		treville_hazard_protect(hazard, p);
	return p != 0;
}
static int look(int n)
{
	for (int i = 0; i < 3; i++) {
		n = n * 3 + (i ^ n) % 7;
		n = (n & i) * 5 + (n | 2) % 11;
		n = (n << 3) + n / (i + 1);
		n = (n - i) * (n + i) + (n >> 1);
	}
	return n + (atomic_load(&shared) != 0);
}
static int (*looks)(int) = look;
static int (*takes)(treville_hazard_t *) = take;
static void *reader(void *arg)
{
	treville_hazard_t *hazard = treville_hazard_alloc();
	int (*take_it)(treville_hazard_t *) = takes;
	int looked = looks(2);
	int taken = take_it(hazard);
	treville_hazard_free(hazard);
	return looked + taken > 0 ? arg : 0;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, reader, 0);
	atomic_store(&shared, malloc(sizeof(int)));
	return 0;
}
