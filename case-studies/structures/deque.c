/* Chase and Lev's deque, of fixed size: its owner pushes and takes at the bottom, thieves steal at the top.
 *
 * The last item is contended: the owner lowers `bottom` and then looks at `top`, a thief reads `top` and then `bottom`. Both
 * need a seq_cst fence in between, or each may miss the other. It takes two thieves to see it: the first makes the second
 * item the last one, which the owner must know so as not to take it without an exchange.
 *
 * verify                                                   yes
 * verify --cflags=-DTHIEVES=2                              yes
 * verify --model=sc                                        yes
 * verify --model=tso                                       yes
 * verify --cflags="-DTHIEVES=2 -DNO_TAKE_FENCE"              no assertion
 * verify --cflags="-DTHIEVES=2 -DNO_TAKE_FENCE" --model=tso  no assertion
 * verify --cflags="-DTHIEVES=2 -DNO_TAKE_FENCE" --model=sc   yes
 * verify --cflags="-DTHIEVES=2 -DNO_STEAL_FENCE"             no assertion
 * verify --cflags="-DTHIEVES=2 -DNO_STEAL_FENCE" --model=tso yes
 * verify --cflags=-DWEAK_PUSH                              no assertion
 * verify --cflags=-DNO_EXCHANGE                            no assertion
 * verify --cflags=-DNO_EXCHANGE --model=sc                 no assertion
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 4
#ifndef THIEVES
#define THIEVES 1
#endif
#ifdef WEAK_PUSH
#define PUSH_FENCE memory_order_acquire
#else
#define PUSH_FENCE memory_order_release
#endif

static atomic_int top, bottom, items[SIZE];

static void push(int item)
{
	int b = atomic_load_explicit(&bottom, memory_order_relaxed);
	atomic_store_explicit(&items[b % SIZE], item, memory_order_relaxed);
	atomic_thread_fence(PUSH_FENCE);
	atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

/* 0 if there is none. */
static int take(void)
{
	int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
	atomic_store_explicit(&bottom, b, memory_order_relaxed);
#ifndef NO_TAKE_FENCE
	atomic_thread_fence(memory_order_seq_cst);
#endif
	int t = atomic_load_explicit(&top, memory_order_relaxed);
	if (t > b) {
		atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
		return 0;
	}
	int item = atomic_load_explicit(&items[b % SIZE], memory_order_relaxed);
	if (t < b)
		return item;
	/* The last one. */
#ifndef NO_EXCHANGE
	if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
		item = 0;
#endif
	atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
	return item;
}

/* 0 if there is none, or another thread was faster. */
static int steal(void)
{
	int t = atomic_load_explicit(&top, memory_order_acquire);
#ifndef NO_STEAL_FENCE
	atomic_thread_fence(memory_order_seq_cst);
#endif
	int b = atomic_load_explicit(&bottom, memory_order_acquire);
	if (t >= b)
		return 0;
	int item = atomic_load_explicit(&items[t % SIZE], memory_order_relaxed);
	if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
		return 0;
	assert(item != 0);
	return item;
}

static int stolen[THIEVES];

static void *thief(void *arg)
{
	stolen[(long)arg] = steal();
	return 0;
}

int main(void)
{
	pthread_t t[THIEVES];
	for (long i = 0; i < THIEVES; i++)
		pthread_create(&t[i], 0, thief, (void *)i);
	push(1);
	push(2);
	int sum = take() + take();
	for (int i = 0; i < THIEVES; i++)
		pthread_join(t[i], 0);
	for (int i = 0; i < THIEVES; i++)
		sum += stolen[i];
	sum += take();
	assert(sum == 3);
	return 0;
}
