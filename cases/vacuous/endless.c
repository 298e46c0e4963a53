int main(void){ for(;;); }
