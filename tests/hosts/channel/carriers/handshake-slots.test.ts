import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { beforeEach, expect, it, vi } from 'vitest';
import { HandshakeSlots } from '../../../../src/hosts/channel/carriers/handshake-slots.ts';

class FakeSocket extends EventEmitter {
  readonly remoteAddress = '192.0.2.1';
  readonly remotePort: number;
  bytesRead = 0;
  isDestroyed = false;

  constructor(remotePort: number) {
    super();
    this.remotePort = remotePort;
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
