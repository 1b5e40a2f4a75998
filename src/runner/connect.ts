/** Opens the streams of a session: connections to the launcher that programs get as their own, so that nothing is relayed. */
import { connect, type Socket } from 'node:net';
import type { Launch } from '../hosts/process/launch.ts';
import { streamHeader, streamsOf, type StreamName } from '../hosts/process/protocol.ts';

/** Where a session's streams go. */
export interface Address {
  readonly socket: string;
  readonly token: string;
  readonly id: number;
}

export type Streams = Partial<Record<StreamName, Socket>> & { readonly out: Socket };

/** Connections for all streams of a launch, each with its header sent; undefined when the launcher does not answer. */
export async function connectStreams(address: Address, launch: Launch): Promise<Streams | undefined> {
  const names = streamsOf(launch, launch.pty !== undefined);
  const sockets = await Promise.all(names.map((name) => connectStream(address, name)));
  const streams = Object.fromEntries(names.map((name, i) => [name, sockets[i]])) as Partial<Streams>;
  const { out } = streams;
  if (out !== undefined && sockets.every((socket) => socket !== undefined)) return { ...streams, out };
  for (const socket of sockets) socket?.destroy();
  return undefined;
}

function connectStream({ socket: path, token, id }: Address, name: StreamName): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    socket.pause(); // what the launcher writes is for the program, never for this process
    socket.once('error', () => resolve(undefined));
    socket.once('connect', () => {
      socket.write(streamHeader(token, id, name));
      resolve(socket);
    });
  });
}
