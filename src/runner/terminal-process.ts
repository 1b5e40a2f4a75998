/** A process that has one terminal, and exits when its command has ended. */
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { Commands } from './commands.ts';
import { directPlumbing } from './direct.ts';
import { createGroups } from './groups.ts';
import { COMMANDS_OOM_PRIORITY } from './oom.ts';
import { PipePool } from './pipes.ts';
import { relayedPlumbing } from './relayed.ts';
import { type Connection, type Role, serveCommands } from './role.ts';

export function terminalRole(connection: Connection): Role {
  const leave = (): void => void connection.output.end(connection.leave); // when all that it sent is on its way
  return serveCommands(
    connection,
    ({ owner, graceMs, streams, places }) => {
      const folder = streams === undefined ? places?.scratch : dirname(streams.socket);
      const pipes = new PipePool([folder ?? tmpdir(), tmpdir()], 'for-pipelines');
      return new Commands({
        owner,
        graceMs,
        pipes,
        ...(streams === undefined
          ? { plumbing: relayedPlumbing(pipes), oomPriority: COMMANDS_OOM_PRIORITY }
          : { plumbing: directPlumbing(streams), groups: createGroups(owner, false) }),
      });
    },
    leave,
  );
}
