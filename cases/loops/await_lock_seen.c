// A lock that an iteration takes and releases is read as memory by another thread, which sees that it was taken.
// verify --model rc11: no, assertion
// verify --model rc11 --spin keep --bound 3 --accept-bounded: no, assertion
// verify --model rc11 --engine bmc --bound 3 --accept-bounded: no, assertion
// verify --model rc11 --engine explore --reductions none --bound 3 --accept-bounded: no, assertion
// verify --model rc11 --engine explore --bound 3 --accept-bounded: no, assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define LD(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define ST(x, v) atomic_store_explicit(&(x), v, memory_order_relaxed)
union {
	pthread_mutex_t lock;
	atomic_int word;
} m;
atomic_int flag, done;
void *T(void *u)
{
	while (!LD(flag)) {
		pthread_mutex_lock(&m.lock);
		pthread_mutex_unlock(&m.lock);
	}
	ST(done, 1);
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, T, 0);
	ST(flag, 1);
	if (LD(done))
		assert(LD(m.word) == 0);
	pthread_join(t, 0);
	return 0;
}
