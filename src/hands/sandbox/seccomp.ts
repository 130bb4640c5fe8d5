/*
 * The filter of system calls, as a classic BPF program that bubblewrap loads from a file. It needs no native code.
 *
 * Denied is what an agent never needs and what reaches beyond a namespace: looking into other processes, keys, kernel
 * programs, mounts, new namespaces, the clock. Also every family of sockets but local and internet ones: AF_VSOCK, for
 * one, leads from a virtual machine to its host and knows no network namespaces.
 */

/** A system call by its number on x86-64 and on arm64; null where there is none. */
type Numbers = readonly [x64: number | null, arm64: number | null];

const DENIED: Readonly<Record<string, Numbers>> = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  setns: [308, 268],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  create_module: [174, null],
  init_module: [175, 105],
  delete_module: [176, 106],
  finit_module: [313, 273],
  personality: [135, 92],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  fanotify_init: [300, 262],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  acct: [163, 89],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  syslog: [103, 116],
  vhangup: [153, 58],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  iopl: [172, null],
  ioperm: [173, null],
  modify_ldt: [154, null],
  uselib: [134, null],
  lookup_dcookie: [212, 18],
  move_pages: [279, 239],
};

interface Machine {
  readonly audit: number;
  readonly column: 0 | 1;
  readonly clone: number;
  readonly clone3: number;
  readonly unshare: number;
  readonly socket: number;
  readonly ioctl: number;
}

// The arm64 column was taken from the kernel's generic table and has not been run.
const MACHINES: Readonly<Record<string, Machine>> = {
  x64: { audit: 0xc000003e, column: 0, clone: 56, clone3: 435, unshare: 272, socket: 41, ioctl: 16 },
  arm64: { audit: 0xc00000b7, column: 1, clone: 220, clone3: 435, unshare: 97, socket: 198, ioctl: 29 },
};

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];
const LOAD = 0x20;
const EQUAL = 0x15;
const AT_LEAST = 0x35;
const ANY_BIT = 0x45;
const RETURN = 0x06;
const KILL = 0x80000000;
const ALLOW = 0x7fff0000;
const errno = (number: number) => 0x00050000 + number;
const [EPERM, ENOSYS, EAFNOSUPPORT] = [errno(1), errno(38), errno(97)];

// Where the kernel puts what a filter may look at: the number of the call, the architecture, and the low halves of the
// first two arguments (both machines are little-endian).
const [NUMBER, ARCHITECTURE, FIRST_ARGUMENT, SECOND_ARGUMENT] = [0, 4, 16, 24];

/** Every CLONE_NEW… flag that `clone` and `unshare` know, for user, mount, PID, network, IPC, UTS and cgroup. */
const NEW_NAMESPACES = 0x10000000 | 0x00020000 | 0x20000000 | 0x40000000 | 0x08000000 | 0x04000000 | 0x02000000;
const CLONE_NEWTIME = 0x80;
const [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK] = [1, 2, 10, 16];
// Typing into somebody's terminal.
const [TIOCSTI, TIOCLINUX] = [0x5412, 0x541c];

/** Contract: null for a machine whose numbers are not known; then there is no filter, and the grade says so. */
export function seccompFilter(architecture: string = process.arch): Buffer | null {
  const machine = MACHINES[architecture];
  if (machine === undefined) return null;
  const denied = Object.values(DENIED).flatMap((numbers) => numbers[machine.column] ?? []);
  return assemble([
    [LOAD, 0, 0, ARCHITECTURE],
    [EQUAL, 1, 0, machine.audit],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, NUMBER],
    // x32 calls: the same kernel behind other numbers.
    ...(architecture === "x64" ? [jumpUnless(AT_LEAST, 0x40000000), [RETURN, 0, 0, KILL] as Instruction] : []),
    ...denied.flatMap((number): Instruction[] => [jumpUnless(EQUAL, number), [RETURN, 0, 0, EPERM]]),
    // Its flags lie in memory, where a filter cannot look. "There is no such call" makes libraries use clone instead.
    jumpUnless(EQUAL, machine.clone3),
    [RETURN, 0, 0, ENOSYS],
    ...onCall(machine.clone, [
      [LOAD, 0, 0, FIRST_ARGUMENT],
      jumpUnless(ANY_BIT, NEW_NAMESPACES),
      [RETURN, 0, 0, EPERM],
      [RETURN, 0, 0, ALLOW],
    ]),
    ...onCall(machine.unshare, [
      [LOAD, 0, 0, FIRST_ARGUMENT],
      jumpUnless(ANY_BIT, NEW_NAMESPACES | CLONE_NEWTIME),
      [RETURN, 0, 0, EPERM],
      [RETURN, 0, 0, ALLOW],
    ]),
    ...onCall(machine.socket, [
      [LOAD, 0, 0, FIRST_ARGUMENT],
      ...[AF_UNIX, AF_INET, AF_INET6, AF_NETLINK].flatMap((family): Instruction[] => [
        jumpUnless(EQUAL, family),
        [RETURN, 0, 0, ALLOW],
      ]),
      [RETURN, 0, 0, EAFNOSUPPORT],
    ]),
    ...onCall(machine.ioctl, [
      [LOAD, 0, 0, SECOND_ARGUMENT],
      ...[TIOCSTI, TIOCLINUX].flatMap((request): Instruction[] => [jumpUnless(EQUAL, request), [RETURN, 0, 0, EPERM]]),
      [RETURN, 0, 0, ALLOW],
    ]),
    [RETURN, 0, 0, ALLOW],
  ]);
}

/** The next instruction runs when the test holds, and is passed over when it does not. */
function jumpUnless(test: number, value: number): Instruction {
  return [test, 0, 1, value];
}

/** Contract: the body ends every path with a return: afterwards the loaded value is not the number of the call. */
function onCall(number: number, body: readonly Instruction[]): Instruction[] {
  return [[EQUAL, 0, body.length, number], ...body];
}

function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, ifTrue, ifFalse, value], i) => {
    bytes.writeUInt16LE(code, i * 8);
    bytes.writeUInt8(ifTrue, i * 8 + 2);
    bytes.writeUInt8(ifFalse, i * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, i * 8 + 4);
  });
  return bytes;
}
