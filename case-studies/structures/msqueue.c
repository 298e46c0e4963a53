/* Michael and Scott's queue: a list with a dummy node in front, whose tail may lag behind.
 *
 * An enqueuer links its node after the last one, which publishes it, and moves the tail on; who finds the tail behind helps.
 * A dequeuer moves the head to the next node and takes the value from there. `next` of the dummy must be read with an acquire,
 * and linked with a release: who helps the tail along has no other order with the enqueuer. The first thing that is then not
 * ordered is the allocation of the node.
 *
 * verify                                                   yes
 * verify --cflags=-DENQUEUERS=2                            yes
 * verify --cflags=-DDEQUEUERS=2                            yes
 * verify --model=sc                                        yes
 * verify --model=tso                                       yes
 * verify --cflags=-DWEAK_LINK                              no invalid-access
 * verify --cflags=-DWEAK_NEXT                              no invalid-access
 * verify --cflags=-DWEAK_LINK --model=tso                  yes
 * verify --cflags="-DENQUEUERS=2 -DNO_HELP"                yes
 * verify --cflags="-DDEQUEUERS=2 -DTORN_HEAD"              no assertion
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef ENQUEUERS
#define ENQUEUERS 1
#endif
#ifndef DEQUEUERS
#define DEQUEUERS 1
#endif
#ifdef WEAK_LINK
#define LINK memory_order_relaxed
#else
#define LINK memory_order_release
#endif
#ifdef WEAK_NEXT
#define NEXT memory_order_relaxed
#else
#define NEXT memory_order_acquire
#endif

struct node {
	int value;
	_Atomic(struct node *) next;
};

static _Atomic(struct node *) head, tail;

static struct node *new_node(int value)
{
	struct node *node = malloc(sizeof *node);
	node->value = value;
	atomic_init(&node->next, NULL);
	return node;
}

static void enqueue(int value)
{
	struct node *node = new_node(value);
	for (;;) {
		struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
		struct node *next = atomic_load_explicit(&last->next, NEXT);
		if (next) {
#ifdef NO_HELP /* Waits for the other enqueuer instead: right, but no longer lock-free. */
			continue;
#endif
			atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release, memory_order_relaxed);
		} else if (atomic_compare_exchange_strong_explicit(&last->next, &next, node, LINK, memory_order_relaxed)) {
			atomic_compare_exchange_strong_explicit(&tail, &last, node, memory_order_release, memory_order_relaxed);
			return;
		}
	}
}

/* 0 if the queue is empty. */
static int dequeue(void)
{
	for (;;) {
		struct node *first = atomic_load_explicit(&head, memory_order_acquire);
		struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
		struct node *next = atomic_load_explicit(&first->next, NEXT);
		if (!next)
			return 0;
		if (first == last) {
			atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release, memory_order_relaxed);
			continue;
		}
		int value = next->value;
#ifdef TORN_HEAD /* Two dequeuers may take the same value. */
		atomic_store_explicit(&head, next, memory_order_release);
		return value;
#else
		if (atomic_compare_exchange_strong_explicit(&head, &first, next, memory_order_release, memory_order_relaxed))
			return value;
#endif
	}
}

static int taken[DEQUEUERS];

static void *enqueuer(void *arg)
{
	enqueue((int)(long)arg + 1);
	return 0;
}

static void *dequeuer(void *arg)
{
	taken[(long)arg] = dequeue();
	return 0;
}

int main(void)
{
	pthread_t t[ENQUEUERS + DEQUEUERS];
	struct node *dummy = new_node(0);
	atomic_init(&head, dummy);
	atomic_init(&tail, dummy);
	for (long i = 0; i < ENQUEUERS; i++)
		pthread_create(&t[i], 0, enqueuer, (void *)i);
	for (long i = 0; i < DEQUEUERS; i++)
		pthread_create(&t[ENQUEUERS + i], 0, dequeuer, (void *)i);
	for (int i = 0; i < ENQUEUERS + DEQUEUERS; i++)
		pthread_join(t[i], 0);
	int sum = 0;
	for (int i = 0; i < DEQUEUERS; i++)
		sum += taken[i];
	for (int value; (value = dequeue());)
		sum += value;
	assert(sum == ENQUEUERS * (ENQUEUERS + 1) / 2);
	return 0;
}
