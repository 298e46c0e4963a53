// The second thread is created only if the first one has found what never is there. What it asserts was not checked, and the answer says so.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int found;

static void *search(void *unused) {
    (void)unused;
    if (atomic_load(&found) == 2)
        atomic_store(&found, 1);
    return 0;
}

static void *use(void *unused) {
    (void)unused;
    assert(0);
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, search, 0);
    pthread_join(first, 0);
    if (atomic_load(&found) == 1) {
        pthread_create(&second, 0, use, 0);
        pthread_join(second, 0);
    }
    return 0;
}
