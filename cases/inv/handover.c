/* Who sees the flag sees the message; `handover.c.inv` says so. */
#include <pthread.h>
#include <stdatomic.h>

#ifndef ORDER
#define ORDER memory_order_release
#endif

static atomic_int message[2], flag;

static void send(void) {
    atomic_store_explicit(&message[1], 5, memory_order_relaxed);
    atomic_store_explicit(&flag, 1, ORDER);
}

static void receive(void) {
    while (!atomic_load_explicit(&flag, memory_order_acquire))
        ;
    atomic_load_explicit(&message[1], memory_order_relaxed);
}

static void *run(void *me) {
    if (me)
        receive();
    else
        send();
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, run, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}
