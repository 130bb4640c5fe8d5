/*
 * System calls that lead out of a sandbox, each tried in a process of its own. Prints one JSON line per probe. A probe
 * is `reached` when the kernel got beyond asking whether we may: also when it then disliked our arguments, which are
 * chosen so that nothing happens. `none` means that this kernel does not have it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALL(...) (syscall(__VA_ARGS__) < 0 ? errno : 0)

static char secret[16] = "neighbour";

static pid_t others[8];
static int count;

static pid_t neighbour(void) {
  pid_t pid = fork();
  if (pid == 0) { alarm(20); pause(); _exit(0); }
  return others[count++] = pid;
}

static int p_ptrace(void) { return ptrace(PTRACE_ATTACH, neighbour(), 0, 0) < 0 ? errno : 0; }
static int p_vm_read(void) {
  char into[16];
  struct iovec near = {into, 9}, far = {secret, 9};
  return process_vm_readv(neighbour(), &near, 1, &far, 1, 0) < 0 ? errno : 0;
}
static int p_vm_write(void) {
  struct iovec near = {secret, 9}, far = {secret, 9};
  return process_vm_writev(neighbour(), &near, 1, &far, 1, 0) < 0 ? errno : 0;
}
static int p_pidfd_getfd(void) {
  int pidfd = syscall(434, neighbour(), 0);
  return pidfd < 0 ? errno : CALL(438, pidfd, 0, 0);
}
static int p_kcmp(void) { return CALL(SYS_kcmp, getpid(), neighbour(), 1, 0, 0); }
static int p_io_uring(void) { char params[256] = {0}; return CALL(425, 1, params); }
static int p_add_key(void) { return CALL(SYS_add_key, "user", "coordinator-probe", "x", 1, -2); }
static int p_request_key(void) { return CALL(SYS_request_key, "user", "coordinator-none", 0, 0); }
static int p_keyctl(void) { return CALL(SYS_keyctl, 0, -2, 1); }
static int p_bpf(void) {
  unsigned attr[32] = {2, 4, 4, 1};
  return CALL(SYS_bpf, 0, attr, sizeof attr);
}
static int p_perf(void) {
  unsigned attr[32] = {1, 112};
  return CALL(SYS_perf_event_open, attr, 0, -1, -1, 0);
}
static int p_userfaultfd(void) { return CALL(SYS_userfaultfd, O_CLOEXEC); }
static int p_unshare_user(void) { return unshare(CLONE_NEWUSER) < 0 ? errno : 0; }
static int p_unshare_mount(void) { return unshare(CLONE_NEWNS) < 0 ? errno : 0; }
static int p_unshare_net(void) { return unshare(CLONE_NEWNET) < 0 ? errno : 0; }
static int p_clone_user(void) {
  long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) _exit(0);
  return pid < 0 ? errno : 0;
}
static int p_clone3_user(void) {
  struct clone_args args = {.flags = CLONE_NEWUSER, .exit_signal = SIGCHLD};
  long pid = syscall(435, &args, sizeof args);
  if (pid == 0) _exit(0);
  return pid < 0 ? errno : 0;
}
static int p_mount(void) { return mount("x", "/tmp", "tmpfs", 0, 0) < 0 ? errno : 0; }
static int p_remount(void) { return mount(0, "/", 0, MS_REMOUNT | MS_BIND, 0) < 0 ? errno : 0; }
static int p_overlay(void) {
  return mount("o", "/tmp", "overlay", 0, "lowerdir=/usr,upperdir=/nowhere,workdir=/nowhere") < 0 ? errno : 0;
}
static int p_umount(void) { return umount2("/proc", MNT_DETACH) < 0 ? errno : 0; }
static int p_pivot_root(void) { return CALL(SYS_pivot_root, "/usr", "/usr"); }
static int p_chroot(void) { return chroot("/usr") < 0 ? errno : 0; }
static int p_open_tree(void) { return CALL(428, AT_FDCWD, "/usr", 1); }
static int p_fsopen(void) { return CALL(430, "tmpfs", 0); }
static int p_move_mount(void) { return CALL(429, -1, "", AT_FDCWD, "/usr", 4); }
static int p_mount_setattr(void) { unsigned long attr[4] = {0}; return CALL(442, AT_FDCWD, "/usr", 0, attr, sizeof attr); }
static int p_setns(void) {
  int fd = open("/proc/self/ns/uts", O_RDONLY);
  return fd < 0 ? errno : CALL(SYS_setns, fd, 0);
}
static int p_init_module(void) { return CALL(SYS_init_module, 0, 0, ""); }
static int p_finit_module(void) { return CALL(SYS_finit_module, -1, "", 0); }
static int p_kexec(void) { return CALL(SYS_kexec_load, 0, 1 << 20, 0, 0); }
static int p_personality(void) { return CALL(SYS_personality, 0xffffffff); }
static int p_handle(void) {
  struct { unsigned bytes; int type; char rest[128]; } handle = {128, 0, {0}};
  int mount_id;
  return CALL(SYS_name_to_handle_at, AT_FDCWD, "/usr", &handle, &mount_id, 0);
}
static int p_open_by_handle(void) {
  struct { unsigned bytes; int type; char rest[128]; } handle = {8, 1, {0}};
  return CALL(SYS_open_by_handle_at, AT_FDCWD, &handle, O_RDONLY);
}
static int p_settimeofday(void) { return CALL(SYS_settimeofday, 0, 0); }
static int p_clock_settime(void) { long time[2] = {0, -1}; return CALL(SYS_clock_settime, 0, time); }
static int p_sethostname(void) { return sethostname("probe", 5) < 0 ? errno : 0; }
static int p_mknod(void) {
  int failed = mknod("/tmp/coordinator-probe-device", S_IFCHR | 0600, (1 << 8) | 5) < 0 ? errno : 0;
  unlink("/tmp/coordinator-probe-device");
  return failed;
}
static int opened(const char *path, int flags) {
  if (open(path, flags) >= 0) return 0;
  return errno == ENOENT ? ENOSYS : errno;
}
static int p_kmsg(void) { return opened("/dev/kmsg", O_RDONLY | O_NONBLOCK); }
static int p_mem(void) { return opened("/dev/mem", O_RDONLY); }
static int p_kcore(void) { return opened("/proc/kcore", O_RDONLY); }
static int p_disk(void) { return opened("/dev/vda", O_RDONLY) && opened("/dev/sda", O_RDONLY) && opened("/dev/nvme0n1", O_RDONLY) ? EACCES : 0; }
static int p_core_pattern(void) { return opened("/proc/sys/kernel/core_pattern", O_WRONLY); }
static int p_sysrq(void) { return opened("/proc/sysrq-trigger", O_WRONLY); }
static int p_ip_forward(void) { return opened("/proc/sys/net/ipv4/ip_forward", O_WRONLY); }
static int p_sys(void) { return opened("/sys/kernel/mm/transparent_hugepage/enabled", O_WRONLY); }
static int p_cgroup(void) { return opened("/sys/fs/cgroup/unified/cgroup.procs", O_WRONLY) && opened("/sys/fs/cgroup/cgroup.procs", O_WRONLY) ? EACCES : 0; }
static int sockets(int family, int type, int protocol) { return socket(family, type, protocol) < 0 ? errno : 0; }
static int p_vsock(void) { return sockets(40, SOCK_STREAM, 0); }
static int p_packet(void) { return sockets(17, SOCK_RAW, 0); }
static int p_alg(void) { return sockets(38, SOCK_SEQPACKET, 0); }
static int p_raw(void) { return sockets(2, SOCK_RAW, 1); }
static int p_xfrm(void) { return sockets(44, SOCK_RAW, 0); }
static int p_tiocsti(void) {
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) || unlockpt(master)) return errno;
  setsid();
  int slave = open(ptsname(master), O_RDWR);
  return slave < 0 || ioctl(slave, TIOCSTI, "x") < 0 ? errno : 0;
}
/* EINVAL: there is no such user here at all. */
static int p_setuid(void) { return setuid(0) < 0 ? EPERM : 0; }
static int p_new_privileges(void) { return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? EPERM : 0; }
static int p_bounding_set(void) { return prctl(PR_CAPBSET_READ, 21, 0, 0, 0) == 1 ? 0 : EPERM; }
static int p_core_dump(void) {
  struct rlimit core = {RLIM_INFINITY, RLIM_INFINITY};
  return setrlimit(RLIMIT_CORE, &core) < 0 ? errno : 0;
}
static int p_nofile(void) {
  struct rlimit files = {8192, 8192};
  return setrlimit(RLIMIT_NOFILE, &files) < 0 ? errno : 0;
}
static int p_reboot(void) { return CALL(SYS_reboot, 1, 2, 3, 0); }
static int p_swapon(void) { return CALL(SYS_swapon, "/nowhere", 0); }
static int p_acct(void) { return CALL(SYS_acct, "/nowhere"); }
static int p_syslog(void) { return CALL(SYS_syslog, 10, 0, 0); }
static int p_fanotify(void) { return CALL(SYS_fanotify_init, 0, O_RDONLY); }
static int p_nice(void) { return setpriority(PRIO_PROCESS, 0, -5) < 0 ? errno : 0; }
#ifdef __x86_64__
static int p_iopl(void) { return CALL(SYS_iopl, 0); }
static int p_modify_ldt(void) { char entry[16]; return CALL(SYS_modify_ldt, 0, entry, sizeof entry); }
static int p_x32(void) { return CALL(0x40000000 | 39); }
static int p_i386(void) {
  long got;
  __asm__ volatile("int $0x80" : "=a"(got) : "a"(20) : "memory", "r8", "r9", "r10", "r11");
  return got > 0 ? 0 : ENOSYS;
}
#endif

static const struct { const char *name; int (*run)(void); } probes[] = {
#define P(name) {#name, p_##name}
    P(ptrace), P(vm_read), P(vm_write), P(pidfd_getfd), P(kcmp), P(io_uring), P(add_key), P(request_key), P(keyctl),
    P(bpf), P(perf), P(userfaultfd), P(unshare_user), P(unshare_mount), P(unshare_net), P(clone_user), P(clone3_user),
    P(mount), P(remount), P(overlay), P(pivot_root), P(chroot), P(open_tree), P(fsopen), P(move_mount),
    P(mount_setattr), P(setns), P(init_module), P(finit_module), P(kexec), P(personality), P(handle),
    P(open_by_handle), P(settimeofday), P(clock_settime), P(sethostname), P(mknod), P(kmsg), P(mem), P(kcore), P(disk),
    P(core_pattern), P(sysrq), P(ip_forward), P(sys), P(cgroup), P(vsock), P(packet), P(alg), P(raw), P(xfrm),
    P(tiocsti), P(setuid), P(new_privileges), P(bounding_set), P(core_dump), P(nofile), P(reboot), P(swapon), P(acct),
    P(syslog), P(fanotify), P(nice),
#ifdef __x86_64__
    P(iopl), P(modify_ldt), P(x32), P(i386),
#endif
    P(umount),
};

int main(void) {
  for (unsigned i = 0; i < sizeof probes / sizeof *probes; i++) {
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
      alarm(20);
      int failed = probes[i].run();
      while (count > 0) kill(others[--count], SIGKILL);
      _exit(failed);
    }
    int status;
    waitpid(pid, &status, 0);
    int failed = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    const char *result = failed == -1 || failed == EPERM || failed == EACCES || failed == EROFS ? "denied"
                         : failed == ENOSYS || failed == EAFNOSUPPORT                           ? "none"
                                                                                                : "reached";
    printf("{\"probe\":\"%s\",\"result\":\"%s\",\"why\":\"%s\"}\n", probes[i].name, result,
           failed == -1 ? strsignal(WTERMSIG(status)) : failed == 0 ? "worked" : strerror(failed));
  }
  return 0;
}
