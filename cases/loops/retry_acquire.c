// The read before a compare-exchange loop acquires, and the compare-exchange does not: an iteration that fails is not the same as
// to have read at once what it has found.
// verify: no, assertion
// verify --model aarch64: no, assertion
// verify --model arm: no, assertion
// verify --model power: no, assertion
// verify --model riscv: no, assertion
// verify --model sc: yes
// verify --model aarch64 --engine bmc: no, assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
void *T0(void *u)
{
	int s = atomic_load_explicit(&x, memory_order_acquire);
	do {
	} while (!atomic_compare_exchange_strong_explicit(&x, &s, s + 10, memory_order_relaxed, memory_order_relaxed));
	int r = atomic_load_explicit(&y, memory_order_relaxed);
	assert(s == 0 || r == 1);
	return 0;
}
void *T1(void *u)
{
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	atomic_store_explicit(&x, 1, memory_order_release);
	return 0;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, T0, 0);
	pthread_create(&b, 0, T1, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
