/**
 * Bounds what connections may use before the other end has proved who it is: number, time and bytes. The slots are shared fairly
 * between networks, so that one machine cannot lock out the others.
 */
import { isIPv6, type Socket } from 'node:net';

/** From the connection to the upgrade to WebSocket, with TLS. */
const UPGRADE_MS = 5_000;
/** When all slots are used, a connection of this age gives way to a new one: silent peers must not lock out nodes. */
const GIVES_WAY_MS = 1_000;
/** Three messages of 4 KiB and their frames. */
const MOST_BYTES = 16 * 1024;

interface Slot {
  readonly key: string;
  readonly network: string;
  readonly socket: Socket;
  readonly since: number;
  readonly timer: NodeJS.Timeout;
  readonly free: () => void;
}

export class HandshakeSlots {
  readonly #most: number;
  readonly #log: (text: string) => void;
  /** Oldest first. */
  readonly #slots = new Map<string, Slot>();

  constructor(most: number, log: (text: string) => void) {
    this.#most = most;
    this.#log = log;
  }

  /** Takes a slot for a connection, or destroys the connection. */
  open(socket: Socket): void {
    const network = networkOf(socket.remoteAddress);
    if (this.#slots.size >= this.#most && !this.#makeRoom(network)) {
      socket.destroy();
      return;
    }
    const timer = setTimeout(() => socket.destroy(), UPGRADE_MS);
    const free = (): void => this.#free(slot);
    const slot: Slot = { key: remoteOf(socket), network, socket, since: performance.now(), timer, free };
    this.#slots.set(slot.key, slot);
    socket.on('close', free);
  }

  /** The handshake has its own deadline now. `socket` is the TLS socket, where there is one. Returns how to free the slot. */
  upgraded(socket: Socket): () => void {
    const slot = this.#slots.get(remoteOf(socket));
    clearTimeout(slot?.timer);
    const before = socket.bytesRead;
    const count = (): void => {
      if (socket.bytesRead - before <= MOST_BYTES) return;
      this.#log(`${remoteOf(socket)}: disconnected after more than ${MOST_BYTES} bytes in the handshake`);
      socket.destroy();
    };
    socket.on('data', count);
    return () => {
      socket.off('data', count);
      if (slot !== undefined) this.#free(slot);
    };
  }

  closeAll(): void {
    for (const { socket } of this.#slots.values()) socket.destroy();
  }

  /**
   * The network with the most slots gives one up: at once for a network that has fewer also afterwards, else when its oldest
   * connection has had its time.
   */
  #makeRoom(network: string): boolean {
    const held = new Map<string, Slot[]>();
    for (const slot of this.#slots.values()) held.set(slot.network, [...(held.get(slot.network) ?? []), slot]);
    const largest = [...held.values()].reduce((one, other) => (other.length > one.length ? other : one), []);
    const [oldest] = largest;
    if (oldest === undefined) return false;
    const isFairer = (held.get(network)?.length ?? 0) + 1 < largest.length;
    if (!isFairer && performance.now() - oldest.since < GIVES_WAY_MS) return false;
    oldest.socket.destroy();
    this.#free(oldest);
    return true;
  }

  /** The address may have been used again. A connection may last for months, so it keeps nothing of its slot. */
  #free(slot: Slot): void {
    clearTimeout(slot.timer);
    slot.socket.off('close', slot.free);
    if (this.#slots.get(slot.key) === slot) this.#slots.delete(slot.key);
  }
}

/** A TLS socket and the socket below it have the same one. */
export function remoteOf({ remoteAddress = 'unknown', remotePort = 0 }: Socket): string {
  return `${remoteAddress}:${remotePort}`;
}

/** An IPv4 address, or the /64 of an IPv6 address: one machine has all addresses of its /64. */
export function networkOf(address = 'unknown'): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const [before = '', after] = address.replace(/%.*$/u, '').split('::');
  const first = before === '' ? [] : before.split(':');
  const last = after === undefined || after === '' ? [] : after.split(':');
  const zeros = after === undefined ? [] : Array.from({ length: 8 - first.length - last.length }, () => '0');
  const groups = [...first, ...zeros, ...last].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
