// rc11: 1
// Numbers of 128 bits in two words: copied, put together and taken apart, added, shifted and compared, with carries and signs.
#include <assert.h>
#include <stdint.h>
#include <string.h>
typedef unsigned __int128 wide;
typedef __int128 wide_signed;
struct pair {
	uint64_t low, high;
} __attribute__((aligned(16)));
static wide shared = ((wide)7 << 64) | 9;
static volatile uint64_t ones = UINT64_MAX, one = 1, three = 3;
static wide of(uint64_t high, uint64_t low) { return ((wide)high << 64) | low; }
static uint64_t high(wide w) { return w >> 64; }
static uint64_t low(wide w) { return w; }
int main(void)
{
	assert(low(shared) == 9 && high(shared) == 7);
	wide copy = shared;
	struct pair pair;
	memcpy(&pair, &copy, sizeof pair);
	assert(pair.low == 9 && pair.high == 7);
	pair.high = 8;
	memcpy(&copy, &pair, sizeof copy);
	assert(copy == of(8, 9) && copy != shared);

	wide sum = of(three, ones) + of(one, one);
	assert(low(sum) == 0 && high(sum) == 5);
	wide difference = of(three, 0) - one;
	assert(low(difference) == UINT64_MAX && high(difference) == 2);

	wide w = of(0x123456789abcdef0, 0xfedcba9876543210);
	assert(w << 8 == of(0x3456789abcdef0fe, 0xdcba987654321000));
	assert(w >> 8 == of(0x00123456789abcde, 0xf0fedcba98765432));
	assert(w << 72 == of(0xdcba987654321000, 0));
	assert(w >> 72 == of(0, 0x00123456789abcde));
	assert((w & of(0, ones)) == of(0, 0xfedcba9876543210) && (w ^ w) == 0 && (w | of(ones, 0)) >> 64 == ones);

	wide_signed minus = -(wide_signed)three;
	assert(low(minus) == UINT64_MAX - 2 && high(minus) == UINT64_MAX);
	assert(minus >> 1 == -2 && minus >> 100 == -1 && minus < 0 && minus < (wide_signed)one);
	assert((wide)minus > of(ones, 0) && of(one, 0) > of(0, ones) && of(one, one) > of(one, 0));
	assert((wide_signed)(int64_t)ones == -1 && (int)(wide_signed)minus == -3);
	assert(of(one, three) >= of(one, three) && of(one, three) <= of(one, three) && !(of(one, three) < of(one, three)));
	return 0;
}
