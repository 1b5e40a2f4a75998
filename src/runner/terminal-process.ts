/** A process that holds one terminal, and leaves when its command has ended. */
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { FrameSender } from '../hosts/channel/sending.ts';
import { Commands } from './commands.ts';
import { directPlumbing } from './direct.ts';
import { createGroups } from './groups.ts';
import { COMMANDS_OOM_PRIORITY } from './oom.ts';
import { PipePool } from './pipes.ts';
import { relayedPlumbing } from './relayed.ts';
import { type Channel, type Role, serveCommands } from './role.ts';

export function terminalRole({ input, output, leave }: Channel): Role {
  const sender = new FrameSender(output);
  return serveCommands(input, ({ owner, graceMs, streams, places }) => {
    const folder = streams === undefined ? places?.scratch : dirname(streams.socket);
    const pipes = new PipePool([folder ?? tmpdir(), tmpdir()], 'for-pipelines');
    return new Commands({
      owner,
      graceMs,
      pipes,
      report: (id, news) => sender.message(id, news),
      gone: () => output.end(leave), // when all that it said is on its way
      ...(streams === undefined
        ? { plumbing: relayedPlumbing(sender, pipes), oomPriority: COMMANDS_OOM_PRIORITY }
        : { plumbing: directPlumbing(streams), groups: createGroups(owner, false) }),
    });
  });
}
