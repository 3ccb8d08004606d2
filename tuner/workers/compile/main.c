#include <stdio.h>

int main(void)
{
    puts("aptune " APTUNE_VERSION);
    return 0;
}
