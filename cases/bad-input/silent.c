int main(void)
{
	unsigned long n = 0;
	while (n + 1)
		n += 2;
	return 0;
}
