/**
 * The filter on system calls that a sandbox runs under, as the classic BPF program that `bwrap --seccomp` loads: each
 * instruction is 8 bytes, `u16 code; u8 ifTrue; u8 ifFalse; u32 value`, and jumps count instructions to skip. The program
 * reads `struct seccomp_data`: the number of the call at 0, the architecture at 4, the arguments from 16 on, 8 bytes each.
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
/** The low half of an argument, on machines that store it first. */
const argument = (index: number): number => 16 + 8 * index;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET; the bit of NEWTIME is part of a signal's number here. */
const NEW_NAMESPACES = 0x7e020000;
/** Makes a process that looks like one of whoever started the command: programs have no use for it. */
const CLONE_PARENT = 0x8000;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const TIOCSETD = 0x5423;
/** Whoever opens a file with a lease on it waits until its holder agrees, on the host as well. */
const F_SETLEASE = 1024;
/** The network of the sandbox itself, and the questions that programs ask about it. */
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;
const NETLINK_SOCK_DIAG = 4;
/** Beside the kind of a socket stand flags. */
const SOCKET_KIND = 0xf;
const SOCK_STREAM = 1;
const SOCK_SEQPACKET = 5;
/** O_CREAT, and what is O_TMPFILE's alone: without them there is no mode, whatever stands in its place. */
const CREATES = 0o100 | 0o20000000;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** Tests fall through to the refusal, or skip it. */
const anyBit = (bits: number): readonly Instruction[] => [[IF_ANY_BIT, 0, 1, bits]];
const equals = (...values: readonly number[]): readonly Instruction[] =>
  values.map((value, i) => [IF_EQUAL, values.length - 1 - i, i === values.length - 1 ? 1 : 0, value]);
const differs = (...values: readonly number[]): readonly Instruction[] =>
  values.map((value, i) => [IF_EQUAL, values.length - i, 0, value]);

/** Set-user-id and set-group-id. */
const SETS_ID = anyBit(0o6000);

/** The filter for an architecture, by Node's name for it; a fault where its calls are not known. */
export function seccompFilter(architecture: string = process.arch): Uint8Array {
  const known = ARCHITECTURES[architecture];
  if (known === undefined)
    throw new Fault('SANDBOX_UNSUPPORTED', `the system calls of ${architecture} are not known`, {
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
    // As on a kernel that is older than they are: programs then use the calls from before.
    ...UNKNOWN.flatMap((call) => deny(numbers[call], ENOSYS)),
    ...denyBy(numbers.clone, [0, anyBit(NEW_NAMESPACES | CLONE_PARENT)]),
    ...denyBy(numbers.ioctl, [1, equals(TIOCSTI, TIOCLINUX, TIOCSETD)]),
    ...denyBy(numbers.fcntl, [1, equals(F_SETLEASE)]),
    // No Unix sockets: one that a program of this machine left in the workspace would lead out.
    ...denyBy(numbers.socket, [0, differs(AF_INET, AF_INET6, AF_NETLINK)]),
    ...denyBy(numbers.socket, [0, equals(AF_NETLINK)], [2, differs(NETLINK_ROUTE, NETLINK_SOCK_DIAG)]),
    // Pairs are joined for good, unless they are for datagrams: one of those can be sent to another address.
    ...denyBy(numbers.socketpair, [0, differs(AF_UNIX)]),
    ...denyBy(numbers.socketpair, [1, [[AND, 0, 0, SOCKET_KIND], ...differs(SOCK_STREAM, SOCK_SEQPACKET)]]),
    // A file of the workspace that other users of the host could start with the rights of its owner: not made so, either,
    // because a list of access rights makes a program of it when it has its contents.
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

/** One argument, and a test of it. */
type Test = readonly [index: number, test: readonly Instruction[]];

/** Refuses a call when the tests of its arguments all say so. */
function denyBy(call: number, ...tests: readonly Test[]): readonly Instruction[] {
  const refusal: readonly Instruction[] = [[RETURN, 0, 0, errno(EPERM)]];
  const judged = tests.reduceRight((behind, [index, test]) => skipping(index, test, behind), refusal);
  const body: readonly Instruction[] = [...judged, [LOAD, 0, 0, CALL_NUMBER]];
  return [[IF_EQUAL, 0, body.length, call], ...body];
}

/** A test that skips one instruction, made to skip all that stands behind it. */
function skipping(index: number, test: readonly Instruction[], behind: readonly Instruction[]): readonly Instruction[] {
  const reach = (to: number, at: number): number => (at + 1 + to > test.length ? to + behind.length - 1 : to);
  return [
    [LOAD, 0, 0, argument(index)],
    ...test.map(
      ([code, ifTrue, ifFalse, value], at): Instruction =>
        code === AND ? [code, 0, 0, value] : [code, reach(ifTrue, at), reach(ifFalse, at), value],
    ),
    ...behind,
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
