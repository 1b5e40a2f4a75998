/**
 * Starts the commands of this machine. Node's spawn copies the page tables of the calling process, which takes longer the more
 * memory it has. So a small process does it, and the daemon itself only when there is none.
 */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { StartWithin } from '../hosts/process/runner-process.ts';
import { Commands } from './commands.ts';
import { directPlumbing } from './direct.ts';
import { createGroups } from './groups.ts';
import { PipePool } from './pipes.ts';
import { type Connection, type Role, serveCommands } from './role.ts';
import { Terminals } from './terminals.ts';

export function spawnRole(connection: Connection): Role {
  let socket: string | undefined;
  const role = serveCommands(connection, (welcome) => {
    const { owner, graceMs, streams } = welcome;
    if (streams === undefined) throw new Error('runner.welcome without an address for streams');
    socket = streams.socket;
    return new Commands({
      owner,
      graceMs,
      plumbing: directPlumbing(streams),
      pipes: new PipePool([dirname(socket)], 'for-pipelines'),
      terminals: new Terminals(welcome),
      groups: createGroups(owner, true),
    });
  });
  return {
    async end() {
      await role.end();
      if (socket !== undefined) rmSync(socket, { force: true });
    },
  };
}

/** Starts commands from the calling process. */
export const startWithin: StartWithin = ({ owner, graceMs, streams }) => {
  const pipes = new PipePool([dirname(streams.socket)], 'for-pipelines');
  const commands = new Commands({ owner, graceMs, plumbing: directPlumbing(streams), pipes });
  return {
    start: (id, launch, report) => commands.start({ id, launch, report }),
    resize: (id, size) => commands.resize({ id, size }),
    hold: () => {},
    close: () => commands.end(),
  };
};
