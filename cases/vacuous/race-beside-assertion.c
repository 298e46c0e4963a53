// A thread is about to fail an assertion. Where only races are looked for, that does not hide the race of two others.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int x;
static atomic_int go;

static void *fail(void *unused) {
    (void)unused;
    assert(0);
    return 0;
}

static void *write_two(void *unused) {
    (void)unused;
    x = 2;
    return 0;
}

static void *write_one(void *unused) {
    (void)unused;
    pthread_t first, second;
    if (atomic_load(&go)) {
        pthread_create(&first, 0, fail, 0);
        pthread_create(&second, 0, write_two, 0);
        x = 1;
    }
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, write_one, 0);
    atomic_store(&go, 1);
    pthread_join(thread, 0);
    return 0;
}
