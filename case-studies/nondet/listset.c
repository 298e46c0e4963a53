/* A set as a sorted list, with one lock, or with FINE one for each node, taken hand over hand.
 *
 * Two writers add a key each, two readers ask for one each. Whatever the keys are, they are members in the end, and equal ones
 * were added once. 0 and the largest number are the ends of the list.
 *
 * With keys 1 to 4 that is a run for each of 256 assignments, with 24 executions each, the orders of the critical sections. With
 * unknown keys it is one run: 600 executions where every comparison is decided (see the test that lists them), fewer where
 * the outcome of a comparison that nobody branches on stays open. If keys are compared before the lock is taken
 * (EARLY), a writer can overtake another one.
 *
 * verify                                                   yes 24+0
 * verify --cflags=-DFINE                                   yes 24+0
 * verify --cflags=-DHANDLES                                yes 600+0
 * verify --cflags="-DHANDLES -DFINE"                       yes 600+0
 * verify --cflags=-DUNKNOWN                                yes 268+0
 * verify --cflags="-DUNKNOWN -DFINE"                       yes 268+0
 * verify --cflags="-DUNKNOWN -DEARLY"                      no race/assertion/invalid-access
 * verify --cflags="-DHANDLES -DEARLY"                      no race/assertion
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include "key.h"

#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef READERS
#define READERS 2
#endif

struct node {
	key_type key;
	struct node *next;
	pthread_mutex_t lock;
};

static struct node *head;
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;

static struct node *new_node(key_type key, struct node *next)
{
	struct node *node = malloc(sizeof *node);
	node->key = key;
	node->next = next;
#ifdef FINE
	pthread_mutex_init(&node->lock, NULL);
#endif
	return node;
}

/* Where a key belongs: its node or the next one is `current`, the one before it `before`. */
struct place {
	struct node *before, *current;
};

#ifdef FINE
static struct place find(key_type key)
{
	struct place at = { head, NULL };
	pthread_mutex_lock(&at.before->lock);
	at.current = at.before->next;
	pthread_mutex_lock(&at.current->lock);
	while (key_less(at.current->key, key)) {
		pthread_mutex_unlock(&at.before->lock);
		at.before = at.current;
		at.current = at.current->next;
		pthread_mutex_lock(&at.current->lock);
	}
	return at;
}

static void leave(struct place at)
{
	pthread_mutex_unlock(&at.current->lock);
	pthread_mutex_unlock(&at.before->lock);
}
#else
static struct place find(key_type key)
{
#ifndef EARLY
	pthread_mutex_lock(&list_lock);
#endif
	struct place at = { head, head->next };
	while (key_less(at.current->key, key)) {
		at.before = at.current;
		at.current = at.current->next;
	}
#ifdef EARLY
	pthread_mutex_lock(&list_lock);
#endif
	return at;
}

static void leave(struct place at)
{
	(void)at;
	pthread_mutex_unlock(&list_lock);
}
#endif

static bool add(key_type key)
{
	struct place at = find(key);
	bool is_new = !key_equal(at.current->key, key);
	if (is_new)
		at.before->next = new_node(key, at.current);
	leave(at);
	return is_new;
}

static bool contains(key_type key)
{
	struct place at = find(key);
	bool found = key_equal(at.current->key, key);
	leave(at);
	return found;
}

static key_type keys[WRITERS + READERS];
static bool added[WRITERS], seen[READERS];

static void *writer(void *number)
{
	int i = (int)(intptr_t)number;
	added[i] = add(keys[i]);
	return NULL;
}

static void *reader(void *number)
{
	int i = (int)(intptr_t)number;
	seen[i] = contains(keys[WRITERS + i]);
	return NULL;
}

int main(void)
{
	pthread_t threads[WRITERS + READERS];
	head = new_node(key_of(0), new_node(key_of(UINT64_MAX), NULL));
	for (int i = 0; i < WRITERS + READERS; i++)
		keys[i] = key_number(i);
	for (int i = 0; i < WRITERS; i++)
		pthread_create(&threads[i], NULL, writer, (void *)(intptr_t)i);
	for (int i = 0; i < READERS; i++)
		pthread_create(&threads[WRITERS + i], NULL, reader, (void *)(intptr_t)i);
	for (int i = 0; i < WRITERS + READERS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < WRITERS; i++)
		assert(contains(keys[i]));
	for (int i = 0; i < WRITERS; i++)
		for (int j = 0; j < i; j++)
			assert(!(added[i] && added[j]) || !key_equal(keys[i], keys[j]));
	return 0;
}
