/* Ring for many producers and consumers: each slot has a number that says whose turn it is.
 *
 * A slot whose number is the position is free for the producer that takes the position; one more, and it is full for the
 * consumer. The positions are only shares of work, and relaxed; order comes from the numbers of the slots.
 *
 * verify                                                   yes
 * verify --cflags=-DPRODUCERS=2                            yes
 * verify --cflags=-DCONSUMERS=2                            yes
 * verify --model=sc                                        yes
 * verify --model=tso                                       yes
 * verify --cflags=-DWEAK_FILL                              no race
 * verify --cflags=-DWEAK_LOOK                              no race
 * verify --cflags="-DPRODUCERS=2 -DWEAK_EMPTY"             no race
 * verify --cflags=-DWEAK_FILL --model=tso                  yes
 * verify --cflags="-DPRODUCERS=2 -DTORN_CLAIM"             no race
 * verify --cflags="-DPRODUCERS=2 -DTORN_CLAIM" --model=sc  no race
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 1
#ifndef PRODUCERS
#define PRODUCERS 1
#endif
#ifndef CONSUMERS
#define CONSUMERS 1
#endif
#ifdef WEAK_FILL
#define FILL memory_order_relaxed
#else
#define FILL memory_order_release
#endif
#ifdef WEAK_EMPTY /* The next producer may overwrite what the consumer has yet to read. */
#define EMPTY memory_order_relaxed
#else
#define EMPTY memory_order_release
#endif
#ifdef WEAK_LOOK
#define LOOK memory_order_relaxed
#else
#define LOOK memory_order_acquire
#endif

struct slot {
	atomic_uint number;
	int value;
};

static struct slot slots[SIZE];
static atomic_uint head, tail;

/* Takes the position if it is still free. */
static int claim(atomic_uint *at, unsigned *position)
{
#ifdef TORN_CLAIM /* Two threads may take the same one. */
	atomic_store_explicit(at, *position + 1, memory_order_relaxed);
	return 1;
#else
	return atomic_compare_exchange_strong_explicit(at, position, *position + 1, memory_order_relaxed,
						       memory_order_relaxed);
#endif
}

static int put(int value)
{
	unsigned position = atomic_load_explicit(&tail, memory_order_relaxed);
	for (;;) {
		struct slot *slot = &slots[position % SIZE];
		int ahead = (int)(atomic_load_explicit(&slot->number, LOOK) - 2 * (position / SIZE));
		if (ahead < 0)
			return 0;
		if (ahead == 0) {
			if (claim(&tail, &position)) {
				slot->value = value;
				atomic_store_explicit(&slot->number, 2 * (position / SIZE) + 1, FILL);
				return 1;
			}
		} else {
			position = atomic_load_explicit(&tail, memory_order_relaxed);
		}
	}
}

static int take(int *value)
{
	unsigned position = atomic_load_explicit(&head, memory_order_relaxed);
	for (;;) {
		struct slot *slot = &slots[position % SIZE];
		int ahead = (int)(atomic_load_explicit(&slot->number, LOOK) - (2 * (position / SIZE) + 1));
		if (ahead < 0)
			return 0;
		if (ahead == 0) {
			if (claim(&head, &position)) {
				*value = slot->value;
				atomic_store_explicit(&slot->number, 2 * (position / SIZE) + 2, EMPTY);
				return 1;
			}
		} else {
			position = atomic_load_explicit(&head, memory_order_relaxed);
		}
	}
}

static int in[PRODUCERS], out[CONSUMERS];

static void *producer(void *arg)
{
	int value = (int)(long)arg + 1;
	in[(long)arg] = put(value) ? value : 0;
	return 0;
}

static void *consumer(void *arg)
{
	int value;
	if (take(&value))
		out[(long)arg] = value;
	return 0;
}

int main(void)
{
	pthread_t t[PRODUCERS + CONSUMERS];
	for (long i = 0; i < PRODUCERS; i++)
		pthread_create(&t[i], 0, producer, (void *)i);
	for (long i = 0; i < CONSUMERS; i++)
		pthread_create(&t[PRODUCERS + i], 0, consumer, (void *)i);
	for (int i = 0; i < PRODUCERS + CONSUMERS; i++)
		pthread_join(t[i], 0);
	/* What went in is still there, or came out once. */
	int sum = 0, value;
	for (int i = 0; i < PRODUCERS; i++)
		sum += in[i];
	for (int i = 0; i < CONSUMERS; i++)
		sum -= out[i];
	while (take(&value))
		sum -= value;
	assert(sum == 0);
	return 0;
}
