#include <stdatomic.h>

atomic_int x;

int main(void)
{
	for (;;)
		atomic_fetch_add(&x, 1);
}
