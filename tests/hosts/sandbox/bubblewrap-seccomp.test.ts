import { describe, expect, it } from 'vitest';
import { seccompFilter } from '../../../src/hosts/sandbox/seccomp.ts';
import { fc } from '../../support/property.ts';

const ARCHITECTURES = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;

/** Runs the filter as the kernel would, on one call. */
function judge(filter: Uint8Array, number: number, args: readonly bigint[] = [], audit: number = ARCHITECTURES.x64) {
  const program = new DataView(filter.buffer, filter.byteOffset, filter.length);
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, number, true);
  data.setUint32(4, audit, true);
  for (const [i, value] of args.entries()) data.setBigUint64(16 + 8 * i, value, true);
  let value = 0;
  for (let at = 0; at < filter.length / 8; at++) {
    const code = program.getUint16(at * 8, true);
    const ifTrue = program.getUint8(at * 8 + 2);
    const ifFalse = program.getUint8(at * 8 + 3);
    const k = program.getUint32(at * 8 + 4, true);
    if (code === 0x20) value = data.getUint32(k, true);
    else if (code === 0x54) value &= k;
    else if (code === 0x06) return k;
    else if (code === 0x15) at += value === k ? ifTrue : ifFalse;
    else if (code === 0x35) at += value >= k ? ifTrue : ifFalse;
    else if (code === 0x45) at += (value & k) === 0 ? ifFalse : ifTrue;
    else throw new Error(`instruction ${code} is not one of ours`);
  }
  throw new Error('the filter has no end');
}

describe.each(Object.entries(ARCHITECTURES))('the filter on system calls of %s', (name, audit) => {
  const filter = seccompFilter(name);
  const ask = (number: number, ...args: bigint[]) => judge(filter, number, args, audit);
  const x64 = name === 'x64';

  it('is short enough for the kernel, and every jump ends in it', () => {
    expect(filter.length / 8).toBeLessThan(4096);
    fc.assert(
      fc.property(
        fc.nat({ max: 600 }),
        fc.array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { minLength: 6, maxLength: 6 }),
        (number, args) => {
          expect([ALLOW, EPERM, ENOSYS]).toContain(judge(filter, number, args, audit));
        },
      ),
    );
  });

  it('kills what comes from another architecture', () => {
    fc.assert(
      fc.property(fc.nat({ max: 600 }), fc.nat(), (number, other) => {
        expect(judge(filter, number, [], other)).toBe(KILL);
      }),
    );
  });

  it.each([
    ['read', x64 ? 0 : 63],
    ['openat', x64 ? 257 : 56],
    ['execve', x64 ? 59 : 221],
    ['fcntl', x64 ? 72 : 25],
  ])('allows %s', (_, number) => {
    expect(ask(number)).toBe(ALLOW);
  });

  it.each([
    ['ptrace', x64 ? 101 : 117],
    ['mount', x64 ? 165 : 40],
    ['unshare', x64 ? 272 : 97],
    ['keyctl', x64 ? 250 : 219],
    ['bpf', x64 ? 321 : 280],
    ['io_uring_setup', 425],
    ['pidfd_getfd', 438],
    ['open_tree_attr', 467],
  ])('refuses %s', (_, number) => {
    expect(ask(number)).toBe(EPERM);
  });

  it('allows new processes and threads, but no namespaces and no CLONE_PARENT', () => {
    const clone = x64 ? 56 : 220;
    expect(ask(435)).toBe(ENOSYS);
    expect(ask(clone, 0x003d0f00n)).toBe(ALLOW);
    expect(ask(clone, 17n)).toBe(ALLOW);
    for (const bit of [
      0x00008000n,
      0x00020000n,
      0x02000000n,
      0x04000000n,
      0x08000000n,
      0x10000000n,
      0x20000000n,
      0x40000000n,
    ])
      expect(ask(clone, bit | 17n)).toBe(EPERM);
  });

  it('allows network sockets, and no others', () => {
    const socket = x64 ? 41 : 198;
    const allowed = [2n, 10n, 16n];
    const high32 = (high: bigint): bigint => high << 32n;
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 50n }), fc.bigInt({ min: 0n, max: 2n ** 31n }), (family, high) => {
        // The kernel looks at the low half only, so nothing in the high one may change the answer.
        expect(ask(socket, family | high32(high))).toBe(allowed.includes(family) ? ALLOW : EPERM);
      }),
    );
  });

  it('lets questions about the network be asked, and nothing else of the kernel', () => {
    const socket = x64 ? 41 : 198;
    for (let protocol = 0n; protocol < 24n; protocol++)
      expect([protocol, ask(socket, 16n, 3n, protocol)]).toEqual([
        protocol,
        protocol === 0n || protocol === 4n ? ALLOW : EPERM,
      ]);
    expect(ask(socket, 2n, 1n, 6n)).toBe(ALLOW);
  });

  it('allows socket pairs that stay connected', () => {
    const socketpair = x64 ? 53 : 199;
    const flags = [0n, 0o2000000n, 0o4000n, 0o2004000n];
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 15n }), fc.constantFrom(...flags), fc.nat(), (kind, flag, high) => {
        const wanted = kind === 1n || kind === 5n ? ALLOW : EPERM;
        expect(ask(socketpair, 1n, kind | flag | (BigInt(high) << 32n))).toBe(wanted);
        expect(ask(socketpair, 30n, kind | flag)).toBe(EPERM);
      }),
    );
  });

  it('refuses setuid and setgid modes for new files, and ignores the mode where none is used', () => {
    const [openat, mknodat] = x64 ? [257, 259] : [56, 33];
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 0o7777n }), fc.bigInt({ min: 0n, max: 2n ** 23n }), (mode, flags) => {
        const creates = (flags & 0o20000100n) !== 0n;
        const sets = (mode & 0o6000n) !== 0n;
        expect(ask(openat, 0n, 0n, flags, mode)).toBe(creates && sets ? EPERM : ALLOW);
        expect(ask(mknodat, 0n, 0n, 0o100000n | mode)).toBe(sets ? EPERM : ALLOW);
        if (!x64) return;
        expect(ask(2, 0n, flags, mode)).toBe(creates && sets ? EPERM : ALLOW);
        expect(ask(85, 0n, mode)).toBe(sets ? EPERM : ALLOW);
        expect(ask(133, 0n, 0o100000n | mode)).toBe(sets ? EPERM : ALLOW);
      }),
    );
    expect(ask(437)).toBe(ENOSYS);
  });

  it('refuses leases, which others would have to wait for', () => {
    const fcntl = x64 ? 72 : 25;
    expect(ask(fcntl, 3n, 1024n)).toBe(EPERM);
    for (const order of [1n, 2n, 3n, 4n, 6n, 1030n, 1031n, 1033n]) expect(ask(fcntl, 3n, order)).toBe(ALLOW);
  });

  it('refuses orders to a terminal that would type or change its line', () => {
    const ioctl = x64 ? 16 : 29;
    for (const order of [0x5412n, 0x541cn, 0x5423n]) expect(ask(ioctl, 0n, order)).toBe(EPERM);
    for (const order of [0x5401n, 0x5413n, 0x5414n]) expect(ask(ioctl, 0n, order)).toBe(ALLOW);
  });

  it('refuses modes that set an id', () => {
    const [fchmod, fchmodat] = x64 ? [91, 268] : [52, 53];
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 0o7777n }), (mode) => {
        const wanted = (mode & 0o6000n) === 0n ? ALLOW : EPERM;
        expect(ask(fchmod, 0n, mode)).toBe(wanted);
        expect(ask(fchmodat, 0n, 0n, mode)).toBe(wanted);
        expect(ask(452, 0n, 0n, mode)).toBe(wanted);
      }),
    );
  });
});

describe('the filter', () => {
  it('knows no calls of the other convention of x64', () => {
    expect(judge(seccompFilter('x64'), 0x40000000 | 39)).toBe(ENOSYS);
  });

  it('is a fault where the calls are not known', () => {
    expect(() => seccompFilter('riscv64')).toThrow(expect.objectContaining({ code: 'SANDBOX_UNSUPPORTED' }));
  });
});
