/* Every process makes more of its kind. */
#include <unistd.h>

int main(void) {
    for (;;) fork();
}
