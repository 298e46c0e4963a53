/* Sequence lock: a writer makes the number odd, writes, and makes it even again; a reader that sees the same even number
 * before and after has read one version.
 *
 * The data are read while they may be written, so they are atomic, relaxed. Two fences do the work: the writer's release
 * fence after the odd number, which lets no datum be seen before it, and the reader's acquire fence before the second look.
 * A release store of the odd number does not do: it orders what comes before it, not what comes after.
 *
 * verify                                          yes
 * verify --model=sc                               yes
 * verify --model=tso                              yes
 * verify --cflags=-DNO_WRITE_FENCE                no assertion
 * verify --cflags=-DNO_READ_FENCE                 no assertion
 * verify --cflags=-DWEAK_END                      no assertion
 * verify --cflags=-DWEAK_BEGIN_READ               no assertion
 * verify --cflags=-DNO_WRITE_FENCE --model=tso    yes
 * verify --cflags=-DNO_SECOND_LOOK                no assertion
 * verify --cflags=-DNO_SECOND_LOOK --model=sc     no assertion
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef WEAK_END
#define END memory_order_relaxed
#else
#define END memory_order_release
#endif
#ifdef WEAK_BEGIN_READ
#define BEGIN_READ memory_order_relaxed
#else
#define BEGIN_READ memory_order_acquire
#endif

static atomic_int sequence, left, right;

static void *writer(void *unused)
{
	int s = atomic_load_explicit(&sequence, memory_order_relaxed);
	atomic_store_explicit(&sequence, s + 1, memory_order_relaxed);
#ifndef NO_WRITE_FENCE
	atomic_thread_fence(memory_order_release);
#endif
	atomic_store_explicit(&left, 1, memory_order_relaxed);
	atomic_store_explicit(&right, 1, memory_order_relaxed);
	atomic_store_explicit(&sequence, s + 2, END);
	return unused;
}

static void *reader(void *unused)
{
	int before, after, l, r;
	do {
		before = atomic_load_explicit(&sequence, BEGIN_READ);
		l = atomic_load_explicit(&left, memory_order_relaxed);
		r = atomic_load_explicit(&right, memory_order_relaxed);
#ifndef NO_READ_FENCE
		atomic_thread_fence(memory_order_acquire);
#endif
#ifdef NO_SECOND_LOOK
		after = before;
#else
		after = atomic_load_explicit(&sequence, memory_order_relaxed);
#endif
	} while (before != after || before % 2);
	assert(l == r);
	return unused;
}

int main(void)
{
	pthread_t w, r;
	pthread_create(&w, 0, writer, 0);
	pthread_create(&r, 0, reader, 0);
	pthread_join(w, 0);
	pthread_join(r, 0);
	return 0;
}
