#include <stdatomic.h>

atomic_int x;

int main(void)
{
	atomic_store(&x, 1)
	return y;
}
