// rc11: 2
// A copy in parts of other sizes than the fields have, seen by another thread after it is done or not at all.
#include <pthread.h>
#include <assert.h>
#include <string.h>
#include <stdint.h>
#include <stdatomic.h>
struct pair { uint32_t a; uint16_t b; uint8_t c, d; };
struct pair src = { 1, 2, 3, 4 };
struct pair dst;
atomic_int ready;
void *writer(void *arg) {
  src.a = 7; src.c = 9;
  memcpy(&dst, &src, sizeof dst);
  atomic_store_explicit(&ready, 1, memory_order_release);
  return 0;
}
void *reader(void *arg) {
  if (atomic_load_explicit(&ready, memory_order_acquire)) {
    assert(dst.a == 7 && dst.b == 2 && dst.c == 9 && dst.d == 4);
    uint64_t all; memcpy(&all, &dst, 8);
    assert(all == 0x0409000200000007ull);
  }
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, writer, 0); pthread_create(&u, 0, reader, 0);
  pthread_join(t, 0); pthread_join(u, 0);
  return 0;
}
