import { type AddressInfo, createServer } from 'node:net';
import type { NetworkInterfaceInfo } from 'node:os';
import { duplexPair } from 'node:stream';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import type { OutgoingStream } from '../../../src/hosts/channel/call-streams.ts';
import { openChannel } from '../../../src/hosts/channel/channel.ts';
import { isOwn, isPublic } from '../../../src/hosts/sandbox/egress/addresses.ts';
import { carryConnection } from '../../../src/hosts/sandbox/egress/connection.ts';
import { decide, type Rules } from '../../../src/hosts/sandbox/egress/decide.ts';
import { canonicalHost, isAllowed, parseAllow } from '../../../src/hosts/sandbox/egress/patterns.ts';
import { fillStream } from '../../support/fill-stream.ts';
import { fc } from '../../support/property.ts';

describe('a pattern of the allowed network', () => {
  it.each([
    ['api.example.com', { name: 'api.example.com', below: false, ports: [80, 443] }],
    ['*.Example.ORG:443', { name: 'example.org', below: true, ports: [443] }],
    ['bücher.example', { name: 'xn--bcher-kva.example', below: false, ports: [80, 443] }],
    ['example.com.', { name: 'example.com', below: false, ports: [80, 443] }],
    ['localhost:8080', { name: 'localhost', below: false, ports: [8080] }],
    ['192.0.2.7:9000', { name: '192.0.2.7', below: false, ports: [9000] }],
    ['[2001:DB8::1]:443', { name: '2001:db8::1', below: false, ports: [443] }],
  ])('is read: %s', (text, pattern) => {
    expect(parseAllow(text)).toEqual(pattern);
  });

  it.each([
    '',
    '*',
    '*.',
    '*example.com',
    'a.*.com',
    'http://a.com',
    'a.com/path',
    'a.com:0',
    'a.com:70000',
    'a b',
    '*.127.0.0.1',
    '[zz]',
    '2001:db8::1',
    'a@b.com',
    '-a.com',
  ])('is refused: %j', (text) => {
    expect(parseAllow(text)).toBeUndefined();
  });

  it.each([
    ['example.org', 443, false],
    ['a.example.org', 443, true],
    ['a.b.example.org', 443, true],
    ['a.example.org', 80, false],
    ['aexample.org', 443, false],
    ['example.org.evil.test', 443, false],
    ['api.example.com', 80, true],
    ['api.example.com', 443, true],
    ['api.example.com', 22, false],
    ['x.api.example.com', 443, false],
  ])('allows only what it names: %s:%i', (name, port, allowed) => {
    const patterns = ['*.example.org:443', 'api.example.com'].map((text) => parseAllow(text)!);
    expect(isAllowed(patterns, name, port)).toBe(allowed);
  });

  it.each([
    ['API.Example.com.', 'api.example.com'],
    ['127.0.0.1', '127.0.0.1'],
    ['[::1]', '::1'],
    ['0x7f.1', undefined],
    ['2130706433', undefined],
    ['127.1', undefined],
    ['0177.0.0.1', undefined],
    ['a..b', undefined],
    ['a\0b', undefined],
    ['a%00b', undefined],
    ['ａ.com', 'a.com'],
    ['１２７.0.0.1', undefined],
    ['a.com\r\nx', undefined],
    ['', undefined],
  ])('compares names in one spelling: %j', (host, name) => {
    expect(canonicalHost(host)).toBe(name);
  });
});

describe('a public address', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700:4700::1111',
    '2a00:1450:4001::1',
  ])('is one: %s', (address) => {
    expect(isPublic(address)).toBe(true);
  });

  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '100.100.100.200',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:0a00:0001',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:0:4136:e378::1',
    '2001:db8::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '100::1',
    'example.com',
    '',
  ])('is none: %s', (address) => {
    expect(isPublic(address)).toBe(false);
  });

  it('is never an IPv4 address in the clothes of IPv6', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom('::ffff:', '::', '64:ff9b::', '::ffff:0:'), (address, prefix) => {
        expect(isPublic(`${prefix}${address}`)).toBe(false);
      }),
    );
  });
});

describe('the decision about a connection', () => {
  const answers: Record<string, readonly string[]> = {
    'api.example.com': ['93.184.216.34', '2606:4700:4700::1111'],
    'rebound.example.com': ['127.0.0.1'],
    'mixed.example.com': ['93.184.216.34', '10.0.0.1'],
    'metadata.example.com': ['169.254.169.254'],
    'empty.example.com': [],
  };
  const rules = (more: Partial<Rules> = {}): Rules => ({
    patterns: ['*.example.com', '127.0.0.1', '9.9.9.9'].map((text) => parseAllow(text)!),
    resolve: async (name) => {
      const found = answers[name];
      if (found === undefined) throw new Error('ENOTFOUND');
      return found;
    },
    permitted: () => false,
    ...more,
  });

  test.each([
    ['api.example.com', { ok: true, address: '93.184.216.34' }],
    ['API.example.COM.', { ok: true, address: '93.184.216.34' }],
    ['9.9.9.9', { ok: true, address: '9.9.9.9' }],
    ['evil.test', { ok: false, reason: 'not-allowed' }],
    ['rebound.example.com', { ok: false, reason: 'not-public' }],
    ['mixed.example.com', { ok: false, reason: 'not-public' }],
    ['metadata.example.com', { ok: false, reason: 'not-public' }],
    ['127.0.0.1', { ok: false, reason: 'not-public' }],
    ['missing.example.com', { ok: false, reason: 'not-found' }],
    ['empty.example.com', { ok: false, reason: 'not-found' }],
    ['0x7f000001', { ok: false, reason: 'not-a-name' }],
  ])('for %s', async (host, verdict) => {
    expect(await decide(host, 443, rules())).toEqual(verdict);
  });

  test('asks the resolver once, and nothing at all about what is not allowed', async () => {
    const asked: string[] = [];
    const resolve = async (name: string): Promise<readonly string[]> => {
      asked.push(name);
      return asked.length === 1 ? ['93.184.216.34'] : ['127.0.0.1'];
    };
    expect(await decide('evil.test', 443, rules({ resolve }))).toMatchObject({ ok: false });
    expect(await decide('api.example.com', 443, rules({ resolve }))).toEqual({ ok: true, address: '93.184.216.34' });
    expect(asked).toEqual(['api.example.com']);
  });
});

test('addresses of this machine itself are closed, however they are written', () => {
  const face = (address: string, family: 'IPv4' | 'IPv6') =>
    ({ address, family, netmask: '', mac: '', internal: false, cidr: null, scopeid: 0 }) as NetworkInterfaceInfo;
  const interfaces = { eth0: [face('8.8.4.4', 'IPv4'), face('2a00:1450::1', 'IPv6')] };
  const own = ['8.8.4.4', '2a00:1450::1', '2a00:1450:0:0:0:0:0:1', '8.8.8.8', '2a00:1450::2'];
  expect(own.map((address) => isOwn(address, interfaces))).toEqual([true, true, true, false, false]);
});

test('a connection that both sides have ended is cut when the server reads nothing of the rest', async () => {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    socket.on('error', () => {});
    socket.end('x');
    onTestFinished(() => void socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const [left, right] = duplexPair();
  const lost = (reason: string): Error => new Error(reason);
  openChannel(left, {
    trust: 'same-build',
    side: 'acceptor',
    lost,
    serve: async (call) => ({ end: await carryConnection('127.0.0.1', port, call, 20) }),
  });
  let outgoing: OutgoingStream | undefined;
  const result = openChannel(right, { trust: 'same-build', side: 'opener', lost }).call('net.connect', undefined, {
    streams(streams) {
      streams.incoming('net', { deliver: () => true, ended: () => {} });
      outgoing = streams.outgoing('net');
    },
    event: () => void fillStream(outgoing!).then(() => outgoing?.end()),
  });
  expect(await result).toEqual({ end: 'cut' });
});
