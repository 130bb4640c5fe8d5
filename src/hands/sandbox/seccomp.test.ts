import { describe, expect, it } from "vitest";
import { seccompFilter } from "./seccomp.js";

/** A machine for classic BPF, as far as the filter uses it: what the kernel would answer. */
function decide(filter: Buffer, call: { arch: number; nr: number; args?: readonly number[] }): number {
  const [first = 0, second = 0] = call.args ?? [];
  const data: Record<number, number> = { 0: call.nr, 4: call.arch, 16: first, 24: second };
  let loaded = 0;
  for (let at = 0; at < filter.length / 8; at++) {
    const [code, ifTrue, ifFalse] = [filter.readUInt16LE(at * 8), filter[at * 8 + 2] ?? 0, filter[at * 8 + 3] ?? 0];
    const value = filter.readUInt32LE(at * 8 + 4);
    if (code === 0x06) return value;
    if (code === 0x20) loaded = (data[value] ?? Number.NaN) >>> 0;
    else {
      const holds = code === 0x15 ? loaded === value : code === 0x35 ? loaded >= value : (loaded & value) !== 0;
      at += holds ? ifTrue : ifFalse;
    }
  }
  throw new Error("the filter has no end");
}

const [KILL, ALLOW, EPERM, ENOSYS, EAFNOSUPPORT] = [0x80000000, 0x7fff0000, 0x50001, 0x50026, 0x50061];
const NEW_USER = 0x10000000;

describe.each([
  ["x64", 0xc000003e, { read: 0, ptrace: 101, clone: 56, clone3: 435, unshare: 272, socket: 41, ioctl: 16 }],
  ["arm64", 0xc00000b7, { read: 63, ptrace: 117, clone: 220, clone3: 435, unshare: 97, socket: 198, ioctl: 29 }],
] as const)("the filter for %s", (name, arch, nr) => {
  const filter = seccompFilter(name) as Buffer;

  it.each([
    ["an ordinary call", { nr: nr.read }, ALLOW],
    ["ptrace", { nr: nr.ptrace }, EPERM],
    ["io_uring", { nr: 425 }, EPERM],
    ["a thread", { nr: nr.clone, args: [0x3d0f00] }, ALLOW],
    ["a process in a user namespace", { nr: nr.clone, args: [NEW_USER | 17] }, EPERM],
    ["clone3", { nr: nr.clone3 }, ENOSYS],
    ["unshare of files", { nr: nr.unshare, args: [0x400] }, ALLOW],
    ["unshare of the user", { nr: nr.unshare, args: [NEW_USER] }, EPERM],
    ["a local socket", { nr: nr.socket, args: [1] }, ALLOW],
    ["an internet socket", { nr: nr.socket, args: [10] }, ALLOW],
    ["a socket to the host of a virtual machine", { nr: nr.socket, args: [40] }, EAFNOSUPPORT],
    ["an ordinary ioctl", { nr: nr.ioctl, args: [0, 0x5401] }, ALLOW],
    ["typing into a terminal", { nr: nr.ioctl, args: [0, 0x5412] }, EPERM],
  ])("%s", (_, call, answer) => {
    expect(decide(filter, { arch, ...call })).toBe(answer);
  });

  it("kills calls of another architecture", () => {
    expect(decide(filter, { arch: 0x40000003, nr: nr.read })).toBe(KILL);
  });
});

it("kills x32 calls", () => {
  expect(decide(seccompFilter("x64") as Buffer, { arch: 0xc000003e, nr: 0x40000000 + 39 })).toBe(KILL);
});

it("knows no filter for a machine whose numbers it does not know", () => {
  expect(seccompFilter("riscv64")).toBeNull();
});
