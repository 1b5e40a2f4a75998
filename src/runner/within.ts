import { dirname } from 'node:path';
import type { StartWithin } from '../hosts/process/runner-process.ts';
import { Commands } from './commands.ts';
import { directPlumbing } from './direct.ts';
import { PipeShelf } from './pipes.ts';
import { LAST_GRACE_MS } from './killing.ts';

/** A runner that is no process of its own: it starts programs from where it is. */
export const startWithin: StartWithin = ({ owner, graceMs, streams }, report) => {
  const pipes = new PipeShelf([dirname(streams.socket)], 'for-pipelines');
  const commands = new Commands({ owner, plumbing: directPlumbing(streams), pipes, report });
  return {
    send: (id, order) => commands.obey(id, order),
    hold: () => {},
    async close() {
      await commands.end(Math.min(graceMs, LAST_GRACE_MS));
      await pipes.close();
    },
  };
};
