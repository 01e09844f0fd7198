"""Every system call that a worker may make, with the reason why it harms nobody.

A call in neither table does not exist for a worker. That leaves out whatever one worker could
tell another by: System V and POSIX queues, semaphores and shared memory, locks and leases on files
that all can read, watches on them (inotify), keys, and calls that show or change what the page
cache holds (fadvise, readahead, mincore, cachestat, preadv2, most of madvise). Three ways stay,
which no filter can close: a page takes longer to read, and a name longer to look up, if nobody has
done so before, also where nobody may write; and in tier C a file keeps the time of its last access.
The order in `judge.reruns` protects against these, within a run. They may last from one run to the
next, until the machine starts again or root drops its caches. See autograder/trust.md.
"""

HARMLESS = {
    "its own memory, which is limited": """
        brk munmap mremap mprotect msync membarrier get_mempolicy
    """,
    "files, by Landlock only those it may read, and its scratch folder": """
        open openat openat2 creat close close_range read readv pread64 preadv write writev pwrite64
        pwritev lseek _llseek dup dup2 dup3 stat fstat lstat newfstatat stat64 fstat64 lstat64
        fstatat64 statx readlink readlinkat access faccessat faccessat2 getdents getdents64 getcwd
        chdir fchdir mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat
        symlink symlinkat ftruncate fallocate fsync fdatasync umask sendfile copy_file_range
        getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr
    """,
    "its own processes and threads, which are counted and end with it": """
        fork vfork execve execveat wait4 waitid exit exit_group set_tid_address set_robust_list
        rseq futex setsid setpgid getpgrp getpid getppid gettid sched_yield restart_syscall
    """,
    "signals and timers for itself": """
        rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait
        sigaltstack signalfd signalfd4 pause nanosleep clock_nanosleep alarm getitimer setitimer
        timer_create timer_settime timer_gettime timer_getoverrun timer_delete timerfd_create
        timerfd_settime timerfd_gettime
    """,
    "what it is, which it cannot change": """
        getuid geteuid getgid getegid getgroups getresuid getresgid capget getrlimit setrlimit
        arch_prctl
    """,
    "what time it is, and what machine this is": """
        clock_gettime clock_getres gettimeofday time times getrusage uname sysinfo getcpu getrandom
    """,
    "pipes and pairs of sockets between its own processes": """
        pipe pipe2 poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait
        epoll_pwait epoll_pwait2 eventfd eventfd2 shutdown sendto recvfrom sendmsg recvmsg sendmmsg
        recvmmsg getsockopt getsockname getpeername
    """,
}

# Of these, `syscall_filter` allows only some arguments.
LIMITED = {
    "mmap": "no shared memory without a file and no further stack: no limit counts them",
    "madvise": "only what says nothing to the page cache",
    "clone": "no new namespaces, and no child of somebody else",
    "fcntl": "no locks, leases or watches, which other workers would notice",
    "ioctl": "only questions to pipes and terminals",
    "prctl": "only names of threads and of memory",
    "socket": "only within its own network, where it has one",
    "socketpair": "only between its own processes",
    "setsockopt": "no larger buffers: the kernel's own size is what is counted",
    "rt_sigaction": "all but SIGCHLD, which if ignored hides the time of children",
    "prlimit64": "only its own limits",
    "kill": "only itself, where it has no process tree of its own",
    "tgkill": "only itself, where it has no process tree of its own",
    "sched_getaffinity": "only its own",
    "sched_setaffinity": "only its own",
    "getpgid": "only its own",
    "getsid": "only its own",
    "getpriority": "only its own",
}

# With namespaces and a root of its own, a worker reaches nobody else by these. Without them, those
# of the second table do nothing and say that they have.
INSIDE = {
    "sockets in its own network": "connect bind listen accept accept4",
    "processes of its own tree": """
        tkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open pidfd_send_signal
    """,
    "file systems of its own root": "statfs fstatfs",
}
PRETENDED = {
    "owners, modes and times of its files": """
        chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes futimesat
        utimensat
    """,
}


def names(table: dict[str, str]) -> list[str]:
    """The calls of a table of groups."""
    return [name for group in table.values() for name in group.split()]
