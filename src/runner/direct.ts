/** Streams that are connections to the daemon: programs inherit them, so that no process relays bytes. */
import { connect, type Socket } from 'node:net';
import { isInput, type StreamName, streamsOf } from '../hosts/process/streams/stage-streams.ts';
import { streamHeader, type StreamServerAddress } from '../hosts/process/streams/stream-header.ts';
import type { TerminalReader } from '../hosts/process/terminal-library.ts';
import type { Plumbing, Stdio, Streams } from './plumbing.ts';

export function directPlumbing(address: StreamServerAddress): Plumbing {
  return {
    async open({ id, launch }) {
      const names = streamsOf(launch);
      const opened = await Promise.all(names.map((name) => connectStream(address, id, name)));
      const sockets = Object.fromEntries(names.map((name, i) => [name, opened[i]])) as Sockets;
      if (opened.every((socket) => socket !== undefined)) return new DirectStreams(sockets);
      for (const socket of opened) socket?.destroy();
      return 'cannot connect a stream to the daemon';
    },
  };
}

function connectStream(
  { socket: path, token }: StreamServerAddress,
  id: number,
  name: StreamName,
): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    socket.pause(); // what the daemon writes is for the program, not for this process
    socket.once('error', () => resolve(undefined));
    socket.once('connect', () => {
      socket.write(streamHeader(token, id, name));
      resolve(socket);
    });
  });
}

type Sockets = Partial<Record<StreamName, Socket>>;

class DirectStreams implements Streams {
  readonly #sockets: Sockets;

  constructor(sockets: Sockets) {
    this.#sockets = sockets;
  }

  async stdio(): Promise<(name: StreamName) => Stdio> {
    return (name) => this.#sockets[name] ?? 'ignore';
  }

  attach(): void {
    for (const socket of Object.values(this.#sockets)) socket?.destroy();
  }

  discard(): void {
    this.attach();
  }

  carry(screen: Socket): TerminalReader {
    const { out, in: input } = this.#sockets;
    if (out === undefined) throw new TypeError('a terminal without an output');
    let isWaiting = false;
    screen.on('data', (bytes: Buffer) => {
      if (out.destroyed || out.write(bytes)) return;
      isWaiting = true;
      screen.pause();
    });
    out.on('drain', () => {
      isWaiting = false;
      screen.resume();
    });
    out.on('error', () => screen.resume()); // the daemon reads no more; the program must not block
    input?.on('data', (bytes: Buffer) => {
      if (screen.destroyed || screen.write(bytes)) return;
      input.pause();
      screen.once('drain', () => input.resume());
    });
    input?.on('error', () => {});
    input?.resume();
    return {
      get isBlocked() {
        return isWaiting && !out.destroyed;
      },
    };
  }

  ended(_lingers: () => void, gone: () => void): void {
    const names = Object.keys(this.#sockets) as StreamName[];
    const outputs: Socket[] = [];
    for (const name of names) {
      const socket = this.#sockets[name];
      if (isInput(name)) socket?.destroy();
      else if (socket?.destroyed === false) outputs.push(socket);
    }
    // This process may exit after that, so all output must be sent first.
    let left = outputs.length;
    if (left === 0) gone();
    for (const socket of outputs) {
      socket.once('close', () => {
        if (--left === 0) gone();
      });
      socket.end(() => socket.destroy());
    }
  }
}
