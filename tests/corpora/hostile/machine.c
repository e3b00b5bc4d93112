/* Opens everything below the folders named for writing, where it is not the process' own, and prints what could be opened. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void walk(const char *folder, int depth) {
    DIR *entries = opendir(folder);
    if (!entries || depth > 12) return;
    struct dirent *entry;
    while ((entry = readdir(entries))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        if (!strcmp(folder, "/proc") && (atoi(entry->d_name) > 0 || strstr(entry->d_name, "self"))) continue;
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        struct stat status;
        if (lstat(path, &status)) continue;
        if (S_ISDIR(status.st_mode)) {
            walk(path, depth + 1);
        } else if (S_ISREG(status.st_mode)) {
            int opened = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
            if (opened >= 0) {
                printf("%s\n", path);
                close(opened);
            }
        }
    }
    closedir(entries);
}

int main(int count, char **folders) {
    for (int i = 1; i < count; i++) walk(folders[i], 0);
    /* Where /proc cannot be listed its names are known all the same. */
    const char *known[] = {"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/vm/drop_caches",
                           "/proc/sysrq-trigger", "/proc/mtrr", "/proc/sys/fs/binfmt_misc/register",
                           "/sys/kernel/uevent_helper", "/sys/power/state"};
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        if (open(known[i], O_WRONLY | O_CLOEXEC) >= 0) printf("%s\n", known[i]);
    printf("done\n");
    return 0;
}
