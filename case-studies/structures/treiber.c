/* Treiber's stack: a list whose head is exchanged.
 *
 * A push publishes its node with a release; a pop acquires it before it reads the node; if one of them is
 * relaxed, not even the allocation of the node is ordered before the reads. Nodes are never freed here while
 * other threads pop: with RECLAIM a pop frees its node at once, which another pop may be about to read.
 *
 * verify                                                   yes
 * verify --cflags=-DPUSHERS=2                              yes
 * verify --cflags="-DPUSHERS=2 -DPOPPERS=2"                yes
 * verify --model=sc                                        yes
 * verify --model=tso                                       yes
 * verify --cflags=-DWEAK_PUSH                              no invalid-access
 * verify --cflags=-DWEAK_POP                               no invalid-access
 * verify --cflags=-DWEAK_PUSH --model=tso                  yes
 * verify --cflags="-DPOPPERS=2 -DRECLAIM"                  no use-after-free
 * verify --cflags="-DPOPPERS=2 -DRECLAIM" --model=sc       no use-after-free
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef PUSHERS
#define PUSHERS 1
#endif
#ifndef POPPERS
#define POPPERS 1
#endif
#ifdef WEAK_PUSH
#define PUSH memory_order_relaxed
#else
#define PUSH memory_order_release
#endif
#ifdef WEAK_POP
#define POP memory_order_relaxed
#else
#define POP memory_order_acquire
#endif

struct node {
	int value;
	struct node *next;
};

static _Atomic(struct node *) top;

static void push(int value)
{
	struct node *node = malloc(sizeof *node);
	node->value = value;
	struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
	do {
		node->next = old;
	} while (!atomic_compare_exchange_weak_explicit(&top, &old, node, PUSH, memory_order_relaxed));
}

/* 0 if the stack is empty. */
static int pop(void)
{
	struct node *old = atomic_load_explicit(&top, POP);
	while (old) {
		struct node *next = old->next;
		if (atomic_compare_exchange_weak_explicit(&top, &old, next, POP, POP)) {
			int value = old->value;
#ifdef RECLAIM
			free(old);
#endif
			return value;
		}
	}
	return 0;
}

static int popped[POPPERS];

static void *pusher(void *arg)
{
	push((int)(long)arg + 1);
	return 0;
}

static void *popper(void *arg)
{
	popped[(long)arg] = pop();
	return 0;
}

int main(void)
{
	pthread_t t[PUSHERS + POPPERS];
	push(PUSHERS + 1);
	for (long i = 0; i < PUSHERS; i++)
		pthread_create(&t[i], 0, pusher, (void *)i);
	for (long i = 0; i < POPPERS; i++)
		pthread_create(&t[PUSHERS + i], 0, popper, (void *)i);
	for (int i = 0; i < PUSHERS + POPPERS; i++)
		pthread_join(t[i], 0);
	/* Every value comes out once. */
	int sum = 0;
	for (int i = 0; i < POPPERS; i++)
		sum += popped[i];
	for (int value; (value = pop());)
		sum += value;
	assert(sum == (PUSHERS + 1) * (PUSHERS + 2) / 2);
	return 0;
}
