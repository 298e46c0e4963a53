/* What the kernels share: relaxed accesses, fences that can be left out, a critical section that notices company.
 *
 * FENCE is where a kernel needs one on x86; -DNOFENCE leaves it out. ORDER is where it also needs one on machines that keep less
 * in order, and in C11; it is there with -DSTRONG only. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define LOAD(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define STORE(x, v) atomic_store_explicit(&(x), (v), memory_order_relaxed)

#ifdef NOFENCE
#define FENCE() do { } while (0)
#else
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#endif
#ifdef STRONG
#define ORDER() atomic_thread_fence(memory_order_seq_cst)
#else
#define ORDER() do { } while (0)
#endif

static atomic_int inside;

/* Alone, a thread reads what it has written. */
static void critical(int me)
{
	ORDER();
	STORE(inside, me);
	assert(LOAD(inside) == me);
	ORDER();
}

static void *t0(void *unused);
static void *t1(void *unused);

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, t0, 0);
	pthread_create(&b, 0, t1, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
