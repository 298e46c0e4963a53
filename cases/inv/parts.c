#include <stdatomic.h>
#include <pthread.h>
atomic_uchar a[2];
struct { atomic_ushort u; atomic_schar s; } both;
void *f(void *p) { atomic_store_explicit(&a[1], 200, memory_order_relaxed); atomic_store_explicit(&both.u, 65535, memory_order_relaxed); atomic_store_explicit(&both.s, -3, memory_order_relaxed); return 0; }
int main() { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }
