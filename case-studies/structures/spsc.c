/* Ring for one producer and one consumer.
 *
 * Each index is written by one side only. The producer's release of `tail` publishes the slot; the consumer's release of
 * `head` gives it back. Both acquires matter: without the producer's, a slot may be overwritten while it is still read.
 *
 * verify                                                   yes
 * verify --model=sc                                        yes
 * verify --model=tso                                       yes
 * verify --property=liveness                               yes
 * verify --cflags=-DWEAK_PRODUCE                           no race
 * verify --cflags=-DWEAK_CONSUME                           no race
 * verify --cflags=-DWEAK_LOOK_TAIL                         no race
 * verify --cflags=-DWEAK_LOOK_HEAD                         no race
 * verify --cflags=-DWEAK_LOOK_HEAD --model=tso             yes
 * verify --cflags=-DFULL_BY_ONE                            no assertion/race
 * verify --cflags=-DFULL_BY_ONE --model=sc                 no assertion/race
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 2
#ifndef ITEMS
#define ITEMS 3
#endif
#ifdef WEAK_PRODUCE
#define PRODUCE memory_order_relaxed
#else
#define PRODUCE memory_order_release
#endif
#ifdef WEAK_CONSUME
#define CONSUME memory_order_relaxed
#else
#define CONSUME memory_order_release
#endif
#ifdef WEAK_LOOK_TAIL
#define LOOK_TAIL memory_order_relaxed
#else
#define LOOK_TAIL memory_order_acquire
#endif
#ifdef WEAK_LOOK_HEAD
#define LOOK_HEAD memory_order_relaxed
#else
#define LOOK_HEAD memory_order_acquire
#endif
#ifdef FULL_BY_ONE /* One item more than there are slots. */
#define ROOM (SIZE + 1)
#else
#define ROOM SIZE
#endif

static atomic_uint head, tail;
static int slots[SIZE];

static void *producer(void *unused)
{
	for (int i = 1; i <= ITEMS; i++) {
		unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);
		while (t - atomic_load_explicit(&head, LOOK_HEAD) == ROOM)
			;
		slots[t % SIZE] = i;
		atomic_store_explicit(&tail, t + 1, PRODUCE);
	}
	return unused;
}

static void *consumer(void *unused)
{
	for (int i = 1; i <= ITEMS; i++) {
		unsigned h = atomic_load_explicit(&head, memory_order_relaxed);
		while (h == atomic_load_explicit(&tail, LOOK_TAIL))
			;
		assert(slots[h % SIZE] == i);
		atomic_store_explicit(&head, h + 1, CONSUME);
	}
	return unused;
}

int main(void)
{
	pthread_t p, c;
	pthread_create(&p, 0, producer, 0);
	pthread_create(&c, 0, consumer, 0);
	pthread_join(p, 0);
	pthread_join(c, 0);
	return 0;
}
