// rc11: 16
// A pop that tries again in another loop than the one it began with, each time with the object that it has found and
// protected last: none of that adds executions. Two pushes, of which the second is in either order, and a pop.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <treville.h>
struct node {
	struct node *_Atomic next;
};
static struct node *_Atomic head;
static void protect(treville_hazard_t *hazard, struct node *node)
{
	treville_hazard_protect(hazard, node);
	atomic_thread_fence(memory_order_seq_cst);
}
static struct node *look(void)
{
	return atomic_load_explicit(&head, memory_order_relaxed);
}
static struct node *pop(treville_hazard_t *hazard)
{
	struct node *node, *now;
	do {
		node = look();
		if (!node)
			return 0;
		protect(hazard, node);
	} while (node != look());
	while (!atomic_compare_exchange_strong_explicit(&head, &node, atomic_load_explicit(&node->next, memory_order_relaxed),
							memory_order_relaxed, memory_order_relaxed)) {
		if (!node)
			return 0;
		protect(hazard, node);
		now = look();
		while (node != now) {
			protect(hazard, now);
			node = now;
			now = look();
			if (!now)
				return 0;
		}
	}
	return node;
}
static void *popper(void *arg)
{
	treville_hazard_t *hazard = treville_hazard_alloc();
	struct node *node = pop(hazard);
	treville_hazard_free(hazard);
	if (node)
		treville_hazard_retire(node);
	return arg;
}
static void *pusher(void *arg)
{
	struct node *node = malloc(sizeof *node), *first = look();
	atomic_init(&node->next, first);
	atomic_thread_fence(memory_order_release);
	while (!atomic_compare_exchange_strong_explicit(&head, &first, node, memory_order_relaxed, memory_order_relaxed)) {
		atomic_store_explicit(&node->next, first, memory_order_relaxed);
		atomic_thread_fence(memory_order_release);
	}
	return arg;
}
int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], 0, pusher, 0);
	pthread_create(&t[1], 0, pusher, 0);
	pthread_create(&t[2], 0, popper, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
