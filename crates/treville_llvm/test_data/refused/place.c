// 6: the function `mystery` is not defined in this program, and not known
int mystery(int);

int main(void)
{
	return mystery(3);
}
