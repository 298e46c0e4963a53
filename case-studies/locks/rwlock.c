/* Readers-writer lock in one word: the number of readers, or WRITER.
 *
 * A reader must acquire what writers did and, when it leaves, release what it read: a writer that enters afterwards must not
 * overwrite what the reader has yet to read. That second half is easily forgotten.
 *
 * verify                                          yes
 * verify --cflags=-DREADERS=2                     yes
 * verify --cflags=-DWRITERS=2                     yes
 * verify --model=sc                               yes
 * verify --model=tso                              yes
 * verify --property=liveness                      yes
 * verify --cflags=-DWEAK_READ_LOCK                no race
 * verify --cflags=-DWEAK_READ_UNLOCK              no race
 * verify --cflags=-DWEAK_WRITE_UNLOCK             no race
 * verify --cflags=-DWEAK_READ_UNLOCK --model=tso  yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef READERS
#define READERS 1
#endif
#ifndef WRITERS
#define WRITERS 1
#endif
#define WRITER (-1)
#ifdef WEAK_READ_LOCK
#define READ_LOCK memory_order_relaxed
#else
#define READ_LOCK memory_order_acquire
#endif
#ifdef WEAK_READ_UNLOCK
#define READ_UNLOCK memory_order_relaxed
#else
#define READ_UNLOCK memory_order_release
#endif
#ifdef WEAK_WRITE_UNLOCK
#define WRITE_UNLOCK memory_order_relaxed
#else
#define WRITE_UNLOCK memory_order_release
#endif

static atomic_int word;
static int left, right;

static void read_lock(void)
{
	int n;
	do {
		while ((n = atomic_load_explicit(&word, memory_order_relaxed)) == WRITER)
			;
	} while (!atomic_compare_exchange_weak_explicit(&word, &n, n + 1, READ_LOCK, memory_order_relaxed));
}

static void read_unlock(void)
{
	atomic_fetch_sub_explicit(&word, 1, READ_UNLOCK);
}

static void write_lock(void)
{
	int n;
	do {
		n = 0;
	} while (!atomic_compare_exchange_weak_explicit(&word, &n, WRITER, memory_order_acquire, memory_order_relaxed));
}

static void write_unlock(void)
{
	atomic_store_explicit(&word, 0, WRITE_UNLOCK);
}

static void *reader(void *unused)
{
	read_lock();
	assert(left == right);
	read_unlock();
	return unused;
}

static void *writer(void *unused)
{
	write_lock();
	left++;
	right++;
	write_unlock();
	return unused;
}

int main(void)
{
	pthread_t t[READERS + WRITERS];
	for (int i = 0; i < READERS + WRITERS; i++)
		pthread_create(&t[i], 0, i < READERS ? reader : writer, 0);
	for (int i = 0; i < READERS + WRITERS; i++)
		pthread_join(t[i], 0);
	assert(left == WRITERS && right == WRITERS);
	return 0;
}
