/* Data that nobody looks at: Treiber's stack, or with QUEUE the queue of Michael and Scott, which carry numbers, with UNKNOWN any
 * numbers, with HANDLES such by the explicit interface.
 *
 * Each writer puts PUTS of them. What is carried decides nothing, so that there are as many executions with any of them. A number that
 * comes out is one that was put in; if a reader takes without an exchange (WEAK_TAKE), there is more in the end than there should be.
 *
 * verify --cflags="-DWRITERS=3 -DREADERS=0"                              yes 6+17
 * verify --cflags="-DWRITERS=3 -DREADERS=0 -DUNKNOWN"                    yes 6+17
 * verify --cflags="-DWRITERS=3 -DREADERS=0 -DHANDLES"                    yes 6+17
 * verify --cflags="-DWRITERS=2 -DREADERS=2"                              yes 54+39
 * verify --cflags="-DWRITERS=2 -DREADERS=2 -DUNKNOWN"                    yes 54+39
 * verify --cflags="-DWRITERS=2 -DREADERS=2 -DHANDLES"                    yes 54+39
 * verify --cflags="-DQUEUE -DWRITERS=2 -DREADERS=2"                      yes 90+28
 * verify --cflags="-DQUEUE -DWRITERS=2 -DREADERS=2 -DUNKNOWN"            yes 90+28
 * verify --cflags="-DQUEUE -DWRITERS=2 -DREADERS=2 -DHANDLES"            yes 90+28
 * verify --cflags="-DWRITERS=2 -DREADERS=2 -DUNKNOWN -DWEAK_TAKE"        no assertion/race
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef READERS
#define READERS 2
#endif

#ifndef PUTS
#define PUTS 1
#endif

#if defined(HANDLES)
#include <treville_nondet.h>
typedef Nondet payload;
static payload make(int i)
{
	(void)i;
	return __VERIFIER_nondet_send(__VERIFIER_nondet_new());
}
#elif defined(UNKNOWN)
#include <treville.h>
typedef uint64_t payload;
static payload make(int i)
{
	(void)i;
	return treville_nondet_u64();
}
#else
typedef uint64_t payload;
static payload make(int i)
{
	return 100 + i;
}
#endif

struct node {
	payload data;
	struct node *_Atomic next;
};

static atomic_int left;

#ifdef QUEUE
static struct node *_Atomic head, *_Atomic tail;

static void init(void)
{
	struct node *dummy = malloc(sizeof *dummy);
	atomic_init(&dummy->next, NULL);
	atomic_init(&head, dummy);
	atomic_init(&tail, dummy);
}

static void put(payload data)
{
	struct node *node = malloc(sizeof *node);
	node->data = data;
	atomic_init(&node->next, NULL);
	for (;;) {
		struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
		struct node *next = atomic_load_explicit(&last->next, memory_order_acquire);
		if (next) {
			atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_acq_rel,
								memory_order_relaxed);
			continue;
		}
		if (atomic_compare_exchange_strong_explicit(&last->next, &next, node, memory_order_acq_rel,
							    memory_order_relaxed)) {
			atomic_compare_exchange_strong_explicit(&tail, &last, node, memory_order_acq_rel,
								memory_order_relaxed);
			return;
		}
	}
}

static bool get(payload *data)
{
	for (;;) {
		struct node *first = atomic_load_explicit(&head, memory_order_acquire);
		struct node *next = atomic_load_explicit(&first->next, memory_order_acquire);
		if (!next)
			return false;
#ifdef WEAK_TAKE
		atomic_store_explicit(&head, next, memory_order_release);
		*data = next->data;
		return true;
#else
		*data = next->data;
		if (atomic_compare_exchange_strong_explicit(&head, &first, next, memory_order_acq_rel,
							    memory_order_relaxed))
			return true;
#endif
	}
}
#else
static struct node *_Atomic top;

static void init(void)
{
}

static void put(payload data)
{
	struct node *node = malloc(sizeof *node);
	node->data = data;
	struct node *below = atomic_load_explicit(&top, memory_order_relaxed);
	do
		atomic_store_explicit(&node->next, below, memory_order_relaxed);
	while (!atomic_compare_exchange_strong_explicit(&top, &below, node, memory_order_release, memory_order_relaxed));
}

static bool get(payload *data)
{
	struct node *first = atomic_load_explicit(&top, memory_order_acquire);
	for (;;) {
		if (!first)
			return false;
		struct node *below = atomic_load_explicit(&first->next, memory_order_relaxed);
#ifdef WEAK_TAKE
		atomic_store_explicit(&top, below, memory_order_release);
		*data = first->data;
		return true;
#else
		if (atomic_compare_exchange_strong_explicit(&top, &first, below, memory_order_acquire,
							    memory_order_acquire)) {
			*data = first->data;
			return true;
		}
#endif
	}
}
#endif

static payload out[READERS + 1];

static void *writer(void *number)
{
	for (int i = 0; i < PUTS; i++)
		put(make((int)(intptr_t)number));
	return NULL;
}

static void *reader(void *number)
{
	if (get(&out[(intptr_t)number]))
		atomic_fetch_sub_explicit(&left, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t threads[WRITERS + READERS];
	init();
	atomic_init(&left, WRITERS * PUTS);
	for (int i = 0; i < WRITERS; i++)
		pthread_create(&threads[i], NULL, writer, (void *)(intptr_t)i);
	for (int i = 0; i < READERS; i++)
		pthread_create(&threads[WRITERS + i], NULL, reader, (void *)(intptr_t)i);
	for (int i = 0; i < WRITERS + READERS; i++)
		pthread_join(threads[i], NULL);
	int n = atomic_load_explicit(&left, memory_order_relaxed);
	while (get(&out[READERS]))
		n--;
	assert(n == 0);
	return 0;
}
