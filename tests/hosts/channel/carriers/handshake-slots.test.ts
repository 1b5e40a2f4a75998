import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { beforeEach, expect, it, vi } from 'vitest';
import { HandshakeSlots, networkOf } from '../../../../src/hosts/channel/carriers/handshake-slots.ts';

class FakeSocket extends EventEmitter {
  readonly remoteAddress: string;
  readonly remotePort: number;
  bytesRead = 0;
  isDestroyed = false;

  constructor(remotePort: number, remoteAddress = '192.0.2.1') {
    super();
    this.remotePort = remotePort;
    this.remoteAddress = remoteAddress;
  }

  destroy(): void {
    this.isDestroyed = true;
    this.emit('close');
  }

  read(bytes: number): void {
    this.bytesRead += bytes;
    this.emit('data');
  }
}

const asSocket = (socket: FakeSocket): Socket => socket as unknown as Socket;

function openAll(slots: HandshakeSlots, ...ports: readonly number[]): FakeSocket[] {
  return ports.map((port) => {
    const socket = new FakeSocket(port);
    slots.open(asSocket(socket));
    return socket;
  });
}

function openFrom(slots: HandshakeSlots, ...addresses: readonly string[]): FakeSocket[] {
  return addresses.map((address, i) => {
    const socket = new FakeSocket(1_000 + i, address);
    slots.open(asSocket(socket));
    return socket;
  });
}

const destroyed = (sockets: readonly FakeSocket[]): number[] =>
  sockets.filter(({ isDestroyed }) => isDestroyed).map(({ remotePort }) => remotePort);

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

it('refuses connections beyond the most, while the others are recent', () => {
  const sockets = openAll(new HandshakeSlots(2, () => undefined), 1, 2, 3, 4);
  expect(destroyed(sockets)).toEqual([3, 4]);
});

it('prefers a new connection to the oldest one of more than a second', () => {
  const slots = new HandshakeSlots(2, () => undefined);
  const sockets = openAll(slots, 1, 2);
  vi.advanceTimersByTime(1_500);
  sockets.push(...openAll(slots, 3));
  expect(destroyed(sockets)).toEqual([1]);
});

it('ends a connection that has not become a WebSocket after 5 s', () => {
  const slots = new HandshakeSlots(10, () => undefined);
  const sockets = openAll(slots, 1, 2);
  slots.upgraded(asSocket(sockets[1]!));
  vi.advanceTimersByTime(5_000);
  expect(destroyed(sockets)).toEqual([1]);
});

it('ends a connection with many bytes before its handshake is over, and not later', () => {
  const slots = new HandshakeSlots(10, () => undefined);
  const sockets = openAll(slots, 1, 2);
  const [first, second] = sockets;
  slots.upgraded(asSocket(first!));
  const done = slots.upgraded(asSocket(second!));
  done();
  for (const socket of sockets) {
    socket.read(16 * 1024);
    socket.read(1);
  }
  expect(destroyed(sockets)).toEqual([1]);
});

it('frees a slot when the handshake is over or the connection closed', () => {
  const slots = new HandshakeSlots(2, () => undefined);
  const sockets = openAll(slots, 1, 2);
  slots.upgraded(asSocket(sockets[0]!))();
  sockets.push(...openAll(slots, 3));
  sockets[1]!.destroy();
  sockets.push(...openAll(slots, 4));
  expect(destroyed(sockets)).toEqual([2]);
});

it('keeps the slot of a new connection from an address whose old connection closes late', () => {
  const slots = new HandshakeSlots(2, () => undefined);
  const [old, again] = openAll(slots, 1, 1);
  old!.emit('close');
  const sockets = openAll(slots, 2, 3);
  expect([again!.isDestroyed, destroyed(sockets)]).toEqual([false, [3]]);
});

it('gives a slot of the address that has most to another address at once', () => {
  const slots = new HandshakeSlots(4, () => undefined);
  const greedy = openAll(slots, 1, 2, 3, 4);
  const others = openFrom(slots, '192.0.2.2', '192.0.2.3', '192.0.2.4');
  const late = openFrom(slots, '192.0.2.5', '192.0.2.1');
  // Four addresses have one slot each: the others have to wait.
  expect([destroyed(greedy), destroyed(others), destroyed(late)]).toEqual([[1, 2, 3], [], [1000, 1001]]);
});

it('never ends the connection of an address with few for one of an address with many', () => {
  const slots = new HandshakeSlots(3, () => undefined);
  const quiet = openFrom(slots, '192.0.2.2');
  vi.advanceTimersByTime(1_500);
  const sockets = openAll(slots, 1, 2, 3);
  vi.advanceTimersByTime(1_500);
  sockets.push(...openAll(slots, 4));
  expect([destroyed(quiet), destroyed(sockets)]).toEqual([[], [1, 3]]);
});

it('counts the addresses of one IPv6 network together', () => {
  const slots = new HandshakeSlots(3, () => undefined);
  const sockets = openFrom(slots, '2001:db8::1', '2001:db8::2', '2001:db8:0:0:1::', '2001:db8:0:1::1');
  expect(destroyed(sockets)).toEqual([1000]);
});

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:1:2::', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  [undefined, 'unknown'],
])('%s is of the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

it('leaves nothing on a connection whose handshake is over', () => {
  const slots = new HandshakeSlots(1, () => undefined);
  const socket = new FakeSocket(1);
  slots.open(asSocket(socket));
  slots.upgraded(asSocket(socket))();
  expect(socket.eventNames()).toEqual([]);
});
