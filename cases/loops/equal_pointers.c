// Equal threads that use addresses as pointers, with tags, are not told apart.
// verify: yes
// verify --symmetry off: yes
// verify --model sc: yes
// verify --reductions counted: yes
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#define LD(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define ST(x, v) atomic_store_explicit(&(x), v, memory_order_relaxed)
_Atomic(uintptr_t) s;
void *T(void *u)
{
	uintptr_t m = (uintptr_t)malloc(4) | 1, o = atomic_exchange(&s, m);
	*(int *)(m & ~(uintptr_t)7) = 1;
	assert(o != m && (o == 0 || (o & 7) == 1));
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
