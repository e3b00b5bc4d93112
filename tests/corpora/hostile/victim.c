/* victim PID SERVER: tries to hurt a process outside; prints what was not refused. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static void report(const char *way, int worked) {
    if (worked) printf("%s\n", way);
}

static void report_readable(const char *pid, const char *name) {
    char path[64], content[16];
    snprintf(path, sizeof path, "/proc/%s/%s", pid, name);
    int file = open(path, O_RDONLY);
    report(path, file >= 0 && read(file, content, sizeof content) > 0);
}

/* A socket's owner is told of what arrives by SIGIO, which ends who does not expect it. */
static int owns_by(unsigned long request, int pid) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 0;
    int worked = ioctl(ends[0], request, &pid) == 0;
    fcntl(ends[0], F_SETFL, O_ASYNC);
    return write(ends[1], "x", 1) == 1 && worked;
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    for (int i = 1; i < 3; i++) {
        int pid = atoi(argv[i]);
        siginfo_t information = {.si_signo = SIGUSR1, .si_code = SI_QUEUE};
        report("kill", kill(pid, SIGUSR1) == 0);
        report("killpg", kill(-pid, SIGUSR1) == 0);
        report("tkill", syscall(SYS_tkill, pid, SIGUSR1) == 0);
        report("tgkill", syscall(SYS_tgkill, pid, pid, SIGUSR1) == 0);
        report("sigqueue", syscall(SYS_rt_sigqueueinfo, pid, SIGUSR1, &information) == 0);
        int descriptor = syscall(SYS_pidfd_open, pid, 0);
        report("pidfd", descriptor >= 0 && syscall(SYS_pidfd_send_signal, descriptor, SIGUSR1, 0, 0) == 0);
        report("ptrace", ptrace(PTRACE_ATTACH, pid, 0, 0) == 0);
        if (i == 1) {
            report("FIOSETOWN", owns_by(0x8901, pid));
            report("SIOCSPGRP", owns_by(0x8902, -pid));
        }
        struct rlimit none = {0, 0};
        report("prlimit", prlimit(pid, RLIMIT_CORE, &none, 0) == 0);
        report("priority", setpriority(PRIO_PROCESS, pid, 19) == 0);
        cpu_set_t first;
        CPU_ZERO(&first);
        CPU_SET(0, &first);
        report("affinity", sched_setaffinity(pid, sizeof first, &first) == 0);
        report_readable(argv[i], "environ");
        report_readable(argv[i], "cmdline");
        report_readable(argv[i], "mem");
        report_readable(argv[i], "maps");
        report_readable(argv[i], "cwd/README.md");
    }
    printf("done\n");
    return 0;
}
