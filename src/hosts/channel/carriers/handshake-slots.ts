/** Bounds what connections may use before the other end has proved who it is: number, time and bytes. */
import type { Socket } from 'node:net';

/** From the connection to the upgrade to WebSocket, with TLS. */
const UPGRADE_MS = 5_000;
/** When all slots are used, a connection of this age gives way to a new one: silent peers must not lock out nodes. */
const GIVES_WAY_MS = 1_000;
/** Three messages of 4 KiB and their frames. */
const MOST_BYTES = 16 * 1024;

interface Slot {
  readonly key: string;
  readonly socket: Socket;
  readonly since: number;
  readonly timer: NodeJS.Timeout;
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
    if (this.#slots.size >= this.#most && !this.#makeRoom()) {
      socket.destroy();
      return;
    }
    const timer = setTimeout(() => socket.destroy(), UPGRADE_MS);
    const slot = { key: remoteOf(socket), socket, since: performance.now(), timer };
    this.#slots.set(slot.key, slot);
    socket.once('close', () => this.#free(slot));
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

  #makeRoom(): boolean {
    const [oldest] = this.#slots.values();
    if (oldest === undefined || performance.now() - oldest.since < GIVES_WAY_MS) return false;
    oldest.socket.destroy();
    this.#free(oldest);
    return true;
  }

  /** The address may have been used again. */
  #free(slot: Slot): void {
    clearTimeout(slot.timer);
    if (this.#slots.get(slot.key) === slot) this.#slots.delete(slot.key);
  }
}

/** A TLS socket and the socket below it have the same one. */
export function remoteOf({ remoteAddress = 'unknown', remotePort = 0 }: Socket): string {
  return `${remoteAddress}:${remotePort}`;
}
