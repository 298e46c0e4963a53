// rc11: 1
// One object, accessed as a whole, in halves, in bytes and across them.
#include <assert.h>
#include <stdint.h>
#include <string.h>
union u { uint64_t w; uint32_t h[2]; uint8_t b[8]; };
int main(void) {
  static union u x;
  x.w = 0x1122334455667788ull;
  assert(x.h[0] == 0x55667788u && x.h[1] == 0x11223344u);
  x.b[3] = 0xaa;
  assert(x.w == 0x11223344aa667788ull);
  memset(&x, 0xff, 3);
  assert(x.h[0] == 0xaaffffffu);
  uint32_t y; memcpy(&y, (char *)&x + 2, 4);
  assert(y == 0x3344aaffu);
  return 0;
}
