// rc11: 1
// The number of the lowest bit that is set, from 1.
#include <assert.h>
#include <strings.h>
extern int ffsl(long);
static volatile long zero, low = 1, high = 1L << 63, some = 0x50000000000, small = 96;
int main(void)
{
	assert(ffsl(zero) == 0 && ffsl(low) == 1 && ffsl(high) == 64 && ffsl(some) == 41);
	assert(ffs((int)zero) == 0 && ffs((int)small) == 6 && ffs((int)(small << 26)) == 32);
	return 0;
}
