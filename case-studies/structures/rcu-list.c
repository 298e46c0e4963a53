/* A list that is read without locks and changed by copies, as with RCU.
 *
 * The updater publishes a new node with a release, and frees the old one only when no reader can be at it any more: readers
 * say when they are inside, and the updater waits until each has been outside after the change. Saying so and looking at the
 * list go crosswise with changing the list and looking at the readers, so both sides need a seq_cst fence. If the
 * publication is relaxed, not even the allocation of the new node is ordered before a reader's look at it.
 *
 * verify                                                   yes
 * verify --cflags=-DREADERS=2                              yes
 * verify --model=sc                                        yes
 * verify --model=tso                                       yes
 * verify --cflags=-DNO_WAIT                                no use-after-free
 * verify --cflags=-DNO_WAIT --model=sc                     no use-after-free
 * verify --cflags=-DWEAK_PUBLISH                           no invalid-access
 * verify --cflags=-DNO_READER_FENCE                        no use-after-free
 * verify --cflags=-DNO_READER_FENCE --model=tso            no use-after-free
 * verify --cflags=-DNO_READER_FENCE --model=sc             yes
 * verify --cflags=-DWEAK_LEAVE                             no use-after-free
 * verify --cflags=-DNO_FREE --property=leak                no leak
 * verify --property=leak                                   yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef READERS
#define READERS 1
#endif
#ifdef WEAK_PUBLISH
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif
#ifdef WEAK_LEAVE /* The reader's last look may come after the updater thinks it is gone. */
#define LEAVE memory_order_relaxed
#else
#define LEAVE memory_order_release
#endif

struct node {
	int key, value;
	struct node *next;
};

static _Atomic(struct node *) list;
static atomic_int inside[READERS];

static void *reader(void *arg)
{
	long me = (long)arg;
	atomic_store_explicit(&inside[me], 1, memory_order_relaxed);
#ifndef NO_READER_FENCE
	atomic_thread_fence(memory_order_seq_cst);
#endif
	for (struct node *n = atomic_load_explicit(&list, memory_order_acquire); n; n = n->next)
		assert(n->value == 10 * n->key || n->value == 10 * n->key + 1);
	atomic_store_explicit(&inside[me], 0, LEAVE);
	return 0;
}

static struct node *new_node(int key, int value, struct node *next)
{
	struct node *n = malloc(sizeof *n);
	n->key = key;
	n->value = value;
	n->next = next;
	return n;
}

int main(void)
{
	pthread_t t[READERS];
	struct node *second = new_node(2, 20, 0), *first = new_node(1, 10, second);
	atomic_init(&list, first);
	for (long i = 0; i < READERS; i++)
		pthread_create(&t[i], 0, reader, (void *)i);
	struct node *copy = new_node(1, 11, second);
	atomic_store_explicit(&list, copy, PUBLISH);
	atomic_thread_fence(memory_order_seq_cst);
#ifndef NO_WAIT
	for (int i = 0; i < READERS; i++)
		while (atomic_load_explicit(&inside[i], memory_order_acquire))
			;
#endif
#ifndef NO_FREE
	free(first);
#endif
	for (int i = 0; i < READERS; i++)
		pthread_join(t[i], 0);
	free(copy);
	free(second);
	return 0;
}
