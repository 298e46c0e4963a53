#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <treville.h>

static bool less(uint32_t a, uint32_t b)
{
#ifdef WRAPPING
	return (int32_t)(a - b) < 0;
#else
	return a < b;
#endif
}

static _Atomic uint32_t largest;

static void *offer(void *key)
{
	uint32_t mine = *(uint32_t *)key, seen = atomic_load(&largest);
	while (less(seen, mine) && !atomic_compare_exchange_strong(&largest, &seen, mine))
		;
	return NULL;
}

int main(void)
{
	uint32_t keys[3];
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		keys[i] = treville_nondet_u32();
	atomic_init(&largest, keys[0]);
	for (int i = 1; i < 3; i++)
		pthread_create(&threads[i], NULL, offer, &keys[i]);
	for (int i = 1; i < 3; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 3; i++)
		assert(!less(largest, keys[i]));
	return 0;
}
