/* The tail of a queue that is ordered by fences, and where there is none, by dependencies.
 *
 * An enqueuer links its node behind the last one, after a fence, and moves the tail on; who finds the tail behind moves it to
 * the node that it has found, and has no fence between the two. A third enqueuer that gets the node from the helper is then ordered
 * with the helper only. In C11 it may even come before the node is allocated. On machines the helper's write depends on
 * what it has read, which is order enough together with the first fence: also where writes do not reach all at once.
 * A fence before helping (FENCE) is what C11 asks for; without the first one (NO_FENCE) no dependency helps.
 *
 * verify                                                   no invalid-access
 * verify --cflags=-DENQUEUERS=2                            yes
 * verify --cflags=-DFENCE                                  yes
 * verify --model=sc                                        yes
 * verify --model=tso                                       yes
 * verify --model=arm                                       yes
 * verify --model=aarch64                                   yes
 * verify --model=power                                     yes
 * verify --model=riscv                                     yes
 * verify --model=imm                                       no invalid-access
 * verify --cflags=-DNO_FENCE --model=tso                   yes
 * verify --cflags=-DNO_FENCE --model=arm                   no uninitialized/invalid-access
 * verify --cflags=-DNO_FENCE --model=aarch64               no uninitialized/invalid-access
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef ENQUEUERS
#define ENQUEUERS 3
#endif

struct node {
	struct node *_Atomic next;
};

static struct node dummy;
static struct node *_Atomic tail = &dummy;

static struct node *load(struct node *_Atomic *from)
{
	return atomic_load_explicit(from, memory_order_relaxed);
}

static int change(struct node *_Atomic *place, struct node *from, struct node *to)
{
	return atomic_compare_exchange_strong_explicit(place, &from, to, memory_order_relaxed, memory_order_relaxed);
}

static void enqueue(struct node *node)
{
	struct node *last;
#ifndef NO_FENCE
	atomic_thread_fence(memory_order_acq_rel);
#endif
	for (;;) {
		last = load(&tail);
#ifndef NO_FENCE
		atomic_thread_fence(memory_order_seq_cst);
#endif
		struct node *next = load(&last->next);
		if (next) {
#ifdef FENCE
			atomic_thread_fence(memory_order_acq_rel);
#endif
			change(&tail, last, next);
		} else if (change(&last->next, 0, node)) {
			break;
		}
	}
#ifndef NO_FENCE
	atomic_thread_fence(memory_order_acq_rel);
#endif
	change(&tail, last, node);
}

static void *enqueuer(void *arg)
{
	struct node *node = malloc(sizeof *node);
	atomic_store_explicit(&node->next, 0, memory_order_relaxed);
	enqueue(node);
	return arg;
}

int main(void)
{
	pthread_t threads[ENQUEUERS];
	for (int i = 0; i < ENQUEUERS; i++)
		pthread_create(&threads[i], 0, enqueuer, 0);
	for (int i = 0; i < ENQUEUERS; i++)
		pthread_join(threads[i], 0);
	int found = 0;
	for (struct node *node = dummy.next; node; node = node->next)
		found++;
	assert(found == ENQUEUERS);
	return 0;
}
