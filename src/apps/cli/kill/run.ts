/** `pincer kill`: ends sessions and all their processes. */
import { shapeOf } from '../definition.ts';
import { Fault } from '../../../base/fault.ts';
import type { Methods } from '../../../wire/methods.ts';
import type { Client } from '../../client/socket.ts';
import { sessionState } from '../exec/session-end.ts';
import { reportFailure } from '../failure.ts';
import { operatorCaller } from '../gateway.ts';
import { runCommand } from '../run-command.ts';
import type { Output } from '../../terminal/output.ts';
import { printJson } from '../print-json.ts';
import { withSessions } from '../if-running.ts';
import { readArguments, usage, wantsJson, errorsAsJson } from '../arguments.ts';
import { definition } from './definition.ts';

const SHAPE = shapeOf(definition);

export function runKill(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  return runCommand(definition, argv, output, async () => {
    const { positionals: ids } = readArguments(SHAPE, argv);
    if (ids.length === 0) throw usage(SHAPE, 'the argument <id> is missing', 'pincer ps lists the sessions');
    return withSessions(ids, async (client) => {
      const ends = await Promise.allSettled(ids.map((id) => end(client, id)));
      const killed = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
      const failures = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
      const sessions = killed.map(({ session }) => session);
      if (json) printJson(output, sessions);
      else for (const end of killed) output.out(`${endText(end)}\n`);
      const codes = failures.map((failure) => {
        if (!(failure instanceof Fault)) throw failure;
        return reportFailure(failure, errorsAsJson(argv, output), output);
      });
      return Math.max(0, ...codes);
    });
  });
}

interface End {
  readonly session: Methods['session.kill']['result'];
  readonly hadEnded: boolean;
}

/** Also ends leftover processes of a session that had already ended. */
async function end(client: Client, id: string): Promise<End> {
  const caller = operatorCaller();
  const before = await client.call('session.wait', { caller, sessionId: id, waitMs: 0 });
  const session = await client.call('session.kill', { caller, sessionId: before.id });
  return { session, hadEnded: before.status !== 'running' };
}

function endText({ session, hadEnded }: End): string {
  const { id, endedLeftovers } = session;
  const left =
    endedLeftovers === undefined
      ? ''
      : `; ended ${endedLeftovers} leftover ${endedLeftovers === 1 ? 'process' : 'processes'}`;
  return `${id}${hadEnded ? ' had already ended' : ''}: ${sessionState(session)}${left}`;
}
