/* Takes all memory that it can get: memory malloc|mmap|fork|FOLDER (files in it). Says at the end how many MiB it got. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STEP = 1 << 24, MOST = 4096 };

static char page[STEP];

static int take(const char *how, int count) {
    if (strcmp(how, "mmap") == 0) {
        void *block = mmap(0, STEP, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        return block != MAP_FAILED && memset(block, 1, STEP) != 0;
    }
    if (how[0] == '/') {
        char name[256];
        snprintf(name, sizeof name, "%s/%d", how, count);
        int file = open(name, O_CREAT | O_WRONLY, 0600);
        return file >= 0 && write(file, page, STEP) == STEP;
    }
    char *block = malloc(STEP);
    return block && memset(block, 1, STEP) != 0;
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "malloc";
    if (strcmp(how, "fork") == 0)
        for (int i = 0; i < 8; i++) fork();
    memset(page, 1, STEP);
    int count = 0;
    while (count < MOST && take(how, count)) count++;
    printf("%d\n", count * (STEP >> 20));
    return 0;
}
