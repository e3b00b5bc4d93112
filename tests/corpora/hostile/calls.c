/* Makes system calls that must be refused; prints the names of those that were not. Arguments are such that each fails
   with another error than EPERM, ENOSYS or EACCES, or succeeds harmlessly, where nothing refuses it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void expect_refused(const char *name, long result) {
    if (result >= 0 || (errno != EPERM && errno != ENOSYS && errno != EACCES))
        printf("%s: %s\n", name, result >= 0 ? "allowed" : strerror(errno));
}

#define TRY(name, ...) (errno = 0, expect_refused(#name, syscall(SYS_##name, __VA_ARGS__)))

int main(void) {
    char buffer[4096] = {0};
    pid_t sibling = fork();
    if (sibling == 0) {
        for (;;) pause();
    }
    TRY(ptrace, PTRACE_ATTACH, sibling, 0, 0);
    TRY(process_vm_readv, sibling, 0, 0, 0, 0, 0);
    TRY(process_vm_writev, sibling, 0, 0, 0, 0, 0);
    TRY(kcmp, sibling, getpid(), 0, 0, 0);
    TRY(pidfd_getfd, 0, 0, 0);
    TRY(unshare, CLONE_NEWUSER);
    TRY(unshare, CLONE_NEWNS);
    TRY(clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    TRY(clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);
    TRY(clone3, buffer, 64);
    TRY(setns, 0, 0);
    TRY(mount, "none", "/tmp", "tmpfs", 0, 0);
    TRY(umount2, "/tmp", 0);
    TRY(chroot, "/tmp");
    TRY(pivot_root, "/tmp", "/tmp");
    TRY(open_tree, AT_FDCWD, "/usr", 0);
    TRY(fsopen, "tmpfs", 0);
    TRY(open_by_handle_at, AT_FDCWD, buffer, 0);
    TRY(bpf, 0, buffer, 64);
    TRY(perf_event_open, buffer, 0, -1, -1, 0);
    TRY(userfaultfd, 0);
    TRY(io_uring_setup, 1, buffer);
    TRY(io_uring_enter, 0, 0, 0, 0, 0, 0);
    TRY(io_uring_register, 0, 0, 0, 0);
    TRY(keyctl, 0, -3, 0, 0, 0);
    TRY(add_key, "user", "name", "x", 1, -2);
    TRY(request_key, "user", "name", 0, 0);
    TRY(kexec_load, 0, 0, 0, 0);
    TRY(reboot, 0, 0, 0, 0);
    TRY(init_module, buffer, 0, "");
    TRY(swapon, "/tmp", 0);
    TRY(syslog, 10, 0, 0);
    TRY(sethostname, "x", 1);
    TRY(settimeofday, 0, 0);
    TRY(clock_settime, 99, buffer);
    TRY(quotactl, 0, "", 0, 0);
    TRY(fanotify_init, 0, 0);
    TRY(shmget, 0, 4096, 01600);
    TRY(semget, 0, 1, 01600);
    TRY(msgget, 0, 01600);
    TRY(mq_open, "x", O_CREAT | O_RDWR, 0600, 0);
    TRY(memfd_create, "x", 0);
    TRY(personality, READ_IMPLIES_EXEC);
    TRY(ioctl, 0, TIOCSTI, "x");
    TRY(prlimit64, sibling, 7, 0, buffer);
    TRY(setpriority, 0, 0, 19);
    TRY(sched_setaffinity, sibling, 0, buffer);
    TRY(sched_setscheduler, sibling, 0, buffer);
    TRY(socket, 1, 1, 0);
    TRY(socketpair, 1, 2, 0, buffer);
    TRY(bind, 0, buffer, 0);
    TRY(listen, 0, 1);
    errno = 0;
    expect_refused("a system call of tomorrow", syscall(9999));
    errno = 0;
    expect_refused("a device node", mknod("node", S_IFCHR | 0600, 0x101));
    /* What honest programs need. */
    int pair[2];
    if (syscall(SYS_socketpair, 1, 1, 0, pair) != 0) printf("a pair of streams: %s\n", strerror(errno));
    if (personality(0xffffffff) < 0) printf("asking for the personality: %s\n", strerror(errno));
    if (mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
        printf("shared memory: %s\n", strerror(errno));
    if (kill(0, 0) != 0) printf("a signal to the own group: %s\n", strerror(errno));
    kill(sibling, SIGKILL);
    printf("done\n");
    return 0;
}
