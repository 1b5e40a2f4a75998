/** The program as the process that decides for a hook. */
import { serveAsWorker } from '../worker/serve.ts';
import { HOOK_CLIENTS } from './clients.ts';
import { decideCall } from './decide.ts';
import { readEvent } from './event.ts';
import type { HookTask } from './task.ts';

/** Serves until the parent closes the channel. */
export function runHookWorker(): Promise<number> {
  return serveAsWorker((task) => answerTo(task as HookTask), { yields: false });
}

/** What the client is told, which may be nothing. */
async function answerTo({ client: name, event, agent, env, cwd, hasTerminal }: HookTask): Promise<string> {
  const client = await HOOK_CLIENTS[name]!();
  const question = client.question(readEvent(event), { env, cwd, hasTerminal: () => hasTerminal });
  const answer = question === undefined ? undefined : await decideCall(question, agent, env);
  return answer === undefined ? '' : client.answerText(answer);
}
