/**
 * The seccomp filter of a bubblewrap sandbox, as the classic BPF program that `bwrap --seccomp` loads: each instruction is
 * 8 bytes, `u16 code; u8 ifTrue; u8 ifFalse; u32 value`, and jumps count instructions to skip. The program reads
 * `struct seccomp_data`: the call number at 0, the architecture at 4, the arguments from 16 on, 8 bytes each.
 */
import { Fault } from '../../base/fault.ts';
import { ARCHITECTURES, DENIED, UNKNOWN } from './seccomp/calls.ts';

const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const AND = 0x54;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const EPERM = 1;
const ENOSYS = 38;
const errno = (number: number): number => 0x00050000 | number;

const CALL_NUMBER = 0;
const ARCHITECTURE = 4;
/** The low half of an argument, on little-endian machines. */
const argument = (index: number): number => 16 + 8 * index;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET; in clone(), the bit of NEWTIME is part of the exit signal. */
const NEW_NAMESPACES = 0x7e020000;
/** Makes the new process a sibling instead of a child, so that it escapes the process tree of its command. Programs do not need it. */
const CLONE_PARENT = 0x8000;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const TIOCSETD = 0x5423;
/** A process that opens a leased file blocks until the holder releases it, on the host as well. */
const F_SETLEASE = 1024;
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;
const NETLINK_SOCK_DIAG = 4;
/** The type argument of a socket also contains flags. */
const SOCKET_KIND = 0xf;
const SOCK_STREAM = 1;
const SOCK_SEQPACKET = 5;
/** O_CREAT and the bit of O_TMPFILE: without them the kernel ignores the mode argument. */
const CREATES = 0o100 | 0o20000000;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** A test falls through to the refusal when it matches, and skips it otherwise. */
const anyBit = (bits: number): readonly Instruction[] => [[IF_ANY_BIT, 0, 1, bits]];
const equals = (...values: readonly number[]): readonly Instruction[] =>
  values.map((value, i) => [IF_EQUAL, values.length - 1 - i, i === values.length - 1 ? 1 : 0, value]);
const differs = (...values: readonly number[]): readonly Instruction[] =>
  values.map((value, i) => [IF_EQUAL, values.length - i, 0, value]);

/** The setuid and setgid bits. */
const SETS_ID = anyBit(0o6000);

/** `architecture` is Node's name for it. */
export function seccompFilter(architecture: string = process.arch): Uint8Array {
  const known = ARCHITECTURES[architecture];
  if (known === undefined)
    throw new Fault('SANDBOX_UNSUPPORTED', `the seccomp filter does not support the architecture ${architecture}`, {
      hint: `the sandbox works on ${Object.keys(ARCHITECTURES).join(' and ')}; elsewhere use a container backend`,
    });
  const { audit, foreignFrom, numbers, old } = known;
  return assemble([
    [LOAD, 0, 0, ARCHITECTURE],
    [IF_EQUAL, 1, 0, audit],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD, 0, 0, CALL_NUMBER],
    ...(foreignFrom === undefined
      ? []
      : ([
          [IF_AT_LEAST, 0, 1, foreignFrom],
          [RETURN, 0, 0, errno(ENOSYS)],
        ] as const)),
    ...DENIED.flatMap((call) => deny(numbers[call], EPERM)),
    // ENOSYS, as on an older kernel: programs then fall back to the older calls.
    ...UNKNOWN.flatMap((call) => deny(numbers[call], ENOSYS)),
    ...denyBy(numbers.clone, [0, anyBit(NEW_NAMESPACES | CLONE_PARENT)]),
    ...denyBy(numbers.ioctl, [1, equals(TIOCSTI, TIOCLINUX, TIOCSETD)]),
    ...denyBy(numbers.fcntl, [1, equals(F_SETLEASE)]),
    // No Unix sockets: the socket of a host program in the workspace would be a way out of the sandbox.
    ...denyBy(numbers.socket, [0, differs(AF_INET, AF_INET6, AF_NETLINK)]),
    ...denyBy(numbers.socket, [0, equals(AF_NETLINK)], [2, differs(NETLINK_ROUTE, NETLINK_SOCK_DIAG)]),
    // A connected pair cannot leave the sandbox, except a datagram pair, which can send to other addresses.
    ...denyBy(numbers.socketpair, [0, differs(AF_UNIX)]),
    ...denyBy(numbers.socketpair, [1, [[AND, 0, 0, SOCKET_KIND], ...differs(SOCK_STREAM, SOCK_SEQPACKET)]]),
    // No setuid or setgid files: other users of the host could run them from the workspace. Refused at creation as well,
    // because a default ACL of the folder can make a new file executable.
    ...denyBy(numbers.openat, [2, anyBit(CREATES)], [3, SETS_ID]),
    ...denyBy(numbers.mknodat, [2, SETS_ID]),
    ...denyBy(numbers.fchmod, [1, SETS_ID]),
    ...denyBy(numbers.fchmodat, [2, SETS_ID]),
    ...denyBy(numbers.fchmodat2, [2, SETS_ID]),
    ...(old === undefined
      ? []
      : [
          ...denyBy(old.open, [1, anyBit(CREATES)], [2, SETS_ID]),
          ...denyBy(old.creat, [1, SETS_ID]),
          ...denyBy(old.mknod, [1, SETS_ID]),
          ...denyBy(old.chmod, [1, SETS_ID]),
        ]),
    [RETURN, 0, 0, ALLOW],
  ]);
}

function deny(call: number, error: number): readonly Instruction[] {
  return [
    [IF_EQUAL, 0, 1, call],
    [RETURN, 0, 0, errno(error)],
  ];
}

type Test = readonly [index: number, test: readonly Instruction[]];

/** Refuses a call when all tests of its arguments match. */
function denyBy(call: number, ...tests: readonly Test[]): readonly Instruction[] {
  const refusal: readonly Instruction[] = [[RETURN, 0, 0, errno(EPERM)]];
  const chained = tests.reduceRight((rest, [index, test]) => skipping(index, test, rest), refusal);
  const body: readonly Instruction[] = [...chained, [LOAD, 0, 0, CALL_NUMBER]];
  return [[IF_EQUAL, 0, body.length, call], ...body];
}

/** Changes a test that skips one instruction so that it skips all of `rest`. */
function skipping(index: number, test: readonly Instruction[], rest: readonly Instruction[]): readonly Instruction[] {
  const reach = (to: number, at: number): number => (at + 1 + to > test.length ? to + rest.length - 1 : to);
  return [
    [LOAD, 0, 0, argument(index)],
    ...test.map(
      ([code, ifTrue, ifFalse, value], at): Instruction =>
        code === AND ? [code, 0, 0, value] : [code, reach(ifTrue, at), reach(ifFalse, at), value],
    ),
    ...rest,
  ];
}

function assemble(instructions: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(instructions.length * 8));
  for (const [i, [code, ifTrue, ifFalse, value]] of instructions.entries()) {
    bytes.setUint16(i * 8, code, true);
    bytes.setUint8(i * 8 + 2, ifTrue);
    bytes.setUint8(i * 8 + 3, ifFalse);
    bytes.setUint32(i * 8 + 4, value, true);
  }
  return new Uint8Array(bytes.buffer);
}
