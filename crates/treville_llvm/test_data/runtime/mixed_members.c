// rc11: 1
// Structures with an atomic member between plain ones, copied: the copy is made in the parts that the members are.
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
struct s { char tag; atomic_int n; short z; };
struct s a = { 1, 5, 7 }, b;
void *w(void *u) { struct s t = { 3, 6, 9 }; b = t; return 0; }
int main(void) { pthread_t t; pthread_create(&t,0,w,0); pthread_join(t,0); assert(b.tag == 3 && atomic_load(&b.n) == 6 && b.z == 9); b = a; assert(b.tag == 1 && atomic_load(&b.n) == 5 && b.z == 7); return 0; }
