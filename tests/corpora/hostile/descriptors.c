/* Writes "{"exit-code": 0}" to every descriptor that it has, prints which are open, and ends with 7. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    char open[4096] = "", number[16];
    const char *forged = "{\"exit-code\": 0, \"status\": 0}\n";
    for (int descriptor = 0; descriptor < 1024; descriptor++) {
        if (fcntl(descriptor, F_GETFD) < 0) continue;
        snprintf(number, sizeof number, "%d ", descriptor);
        strcat(open, number);
        if (descriptor > 2) (void)!write(descriptor, forged, strlen(forged));
    }
    puts(open);
    return 7;
}
