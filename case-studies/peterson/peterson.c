/* Peterson's algorithm in C11, as in peterson.rar: the flags are relaxed where they are raised, and released where they are taken
 * back; the turn is given away by an exchange that acquires and releases.
 *
 * That not both threads are in the critical section (`inv3` there) is an assertion about who is in it; that the one who is there
 * sees that the other is not (`inv4`, `inv5`) is what a plain variable shows that both write: without release or acquire of the
 * flags nobody is in together, and yet the accesses race.
 *
 * verify                                          yes
 * verify --model=sc                               yes
 * verify --model=tso                              yes
 * verify --cflags=-DRELAXED_FLAGS                 no race
 * verify --cflags=-DRELAXED_FLAGS --property=assertion   yes
 * verify --cflags=-DRELAXED_WAIT                  no race
 * verify --cflags=-DRELAXED_WAIT --property=assertion    yes
 * verify --cflags=-DRELAXED_TURN                  no assertion/race
 * verify --cflags=-DRELAXED_TURN --property=assertion    no assertion
 * verify --cflags=-DRELAXED_TURN --model=sc       yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef RELAXED_FLAGS
#define TAKE_BACK memory_order_relaxed
#else
#define TAKE_BACK memory_order_release
#endif
#ifdef RELAXED_WAIT
#define WAIT memory_order_relaxed
#else
#define WAIT memory_order_acquire
#endif
#ifdef RELAXED_TURN
#define GIVE_TURN(to) atomic_store_explicit(&turn, to, memory_order_relaxed)
#else
#define GIVE_TURN(to) atomic_exchange_explicit(&turn, to, memory_order_acq_rel)
#endif

static atomic_int flag[2], turn;
/* Who is between lines 5 and 7: it is read and written by updates, which see the newest value whatever the rest does. */
static atomic_int inside;
/* What the critical section protects. */
static int data;

static void *run(void *arg) {
    int me = (int)(long)arg, other = 1 - me;
    atomic_store_explicit(&flag[me], 1, memory_order_relaxed);
    GIVE_TURN(other);
    while (atomic_load_explicit(&flag[other], WAIT) == 1 &&
           atomic_load_explicit(&turn, memory_order_relaxed) == other)
        ;
    int before = atomic_fetch_add_explicit(&inside, 1, memory_order_relaxed);
    assert(before == 0);
    data++;
    atomic_fetch_sub_explicit(&inside, 1, memory_order_relaxed);
    atomic_store_explicit(&flag[me], 0, TAKE_BACK);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, (void *)0);
    pthread_create(&b, 0, run, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
