/** The background sessions of one client, to end them when it disconnects. */
import type { ToolResult } from '../../wire/tool.ts';
import { actorOf } from '../../wire/actor.ts';
import type { McpOptions } from './options.ts';

export interface StartedSessions {
  /** Records the session of a result. */
  note(tool: string, result: ToolResult): void;
  disconnected(): Promise<void>;
}

export function startedSessions({ gateway, sessionsOnClose = 'keep', setting, log }: McpOptions): StartedSessions {
  const running = new Set<string>();
  const caller = actorOf(setting);
  return {
    note(tool, { details: { status, sessionId } }) {
      if (tool === 'exec' && status === 'running' && typeof sessionId === 'string') running.add(sessionId);
    },
    async disconnected() {
      if (sessionsOnClose !== 'end' || running.size === 0 || gateway === undefined) return;
      const ending = [...running].map(async (sessionId) => {
        try {
          await (await gateway()).call('session.kill', { caller, sessionId });
        } catch (error) {
          log(`cannot end session ${sessionId}: ${(error as Error).message}`);
        }
      });
      running.clear();
      await Promise.all(ending);
    },
  };
}
