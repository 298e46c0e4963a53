/* Treiber's stack with a counter beside the head: both are exchanged at once, all 16 bytes.
 *
 * Nodes that were popped are pushed again, so that a slow pop may find the head as it was, with another node below it. The
 * counter tells: without it (NO_COUNT) the exchange succeeds, and a node is both on the stack and in somebody's hands. A pop
 * may also read the two words one after the other, the counter first (SPLIT), as stacks in use do. What it reads below the
 * head must be as new as the head: with a relaxed pop it is not, and the counter does not help.
 *
 * verify                                                   yes
 * verify --cflags=-mcx16                                   yes
 * verify --model=sc                                        yes
 * verify --model=tso                                       yes
 * verify --cflags=-DSPLIT                                  yes
 * verify --cflags=-DSPLIT --model=tso                      yes
 * verify --cflags=-DNO_COUNT                               no assertion
 * verify --cflags=-DNO_COUNT --model=sc                    no assertion
 * verify --cflags="-DNO_COUNT -DSPLIT" --model=tso         no assertion
 * verify --cflags=-DWEAK_POP                               no assertion
 * verify --cflags="-DWEAK_POP -DSPLIT"                     no assertion
 * verify --cflags=-DWEAK_POP --model=tso                   yes
 * verify --cflags=-DWEAK_PUSH                              no assertion
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifdef WEAK_PUSH
#define PUSH __ATOMIC_RELAXED
#else
#define PUSH __ATOMIC_RELEASE
#endif
#ifdef WEAK_POP
#define POP __ATOMIC_RELAXED
#else
#define POP __ATOMIC_ACQUIRE
#endif
#ifdef NO_COUNT
#define STEP 0
#else
#define STEP 1
#endif

struct node {
	struct node *next;
	/* How many have it: the stack, or a thread. */
	int owners;
};

union top {
	struct {
		struct node *head;
		uint64_t count;
	};
	unsigned __int128 both;
};

static union top top;
static struct node nodes[2];

static union top look(int order)
{
	union top seen;
#ifdef SPLIT
	seen.count = __atomic_load_n(&top.count, order);
	seen.head = __atomic_load_n(&top.head, order);
#else
	seen.both = __atomic_load_n(&top.both, order);
#endif
	return seen;
}

static void push(struct node *node)
{
	union top old = look(__ATOMIC_RELAXED), new;
	do {
		__atomic_store_n(&node->next, old.head, __ATOMIC_RELAXED);
		new.head = node;
		new.count = old.count + STEP;
	} while (!__atomic_compare_exchange_n(&top.both, &old.both, new.both, 0, PUSH, __ATOMIC_RELAXED));
}

static struct node *pop(void)
{
	union top old = look(POP), new;
	do {
		if (!old.head)
			return 0;
		new.head = __atomic_load_n(&old.head->next, __ATOMIC_RELAXED);
		new.count = old.count + STEP;
	} while (!__atomic_compare_exchange_n(&top.both, &old.both, new.both, 0, POP, POP));
	return old.head;
}

static struct node *first, *second;

static void *slow(void *unused)
{
	first = pop();
	return unused;
}

/* Takes what there is, and gives back what was on top. */
static void *quick(void *unused)
{
	struct node *node = pop();
	second = pop();
	if (node)
		push(node);
	return unused;
}

int main(void)
{
	pthread_t t[2];
	push(&nodes[0]);
	push(&nodes[1]);
	pthread_create(&t[0], 0, slow, 0);
	pthread_create(&t[1], 0, quick, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	if (first)
		first->owners++;
	if (second)
		second->owners++;
	for (struct node *node; (node = pop());)
		assert(++node->owners == 1);
	assert(nodes[0].owners == 1 && nodes[1].owners == 1);
	return 0;
}
