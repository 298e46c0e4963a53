// 7: multiplication or division of 128 bits is not supported
static __int128 x, y;
int main(void)
{
	__int128 expected = 0;
	__sync_val_compare_and_swap_16(&x, expected, 1);
	y = x * x;
	return 0;
}
