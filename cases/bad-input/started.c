#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *add(void *arg) {
    atomic_fetch_add(&x, *(int *)arg);
    return 0;
}

int main(void) {
    int one = 1;
    pthread_t t;
    pthread_create(&t, 0, add, &one);
    pthread_join(t, 0);
    return 0;
}
