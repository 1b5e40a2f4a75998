/** The sessions that one client left running, for those who want them ended with it. */
import type { ToolResult } from '../../wire/tool.ts';
import { actorOf } from '../../wire/actor.ts';
import type { McpOptions } from './options.ts';

export interface StartedSessions {
  /** Notes the session that an answer tells of. */
  note(tool: string, result: ToolResult): void;
  /** The client has left. */
  left(): Promise<void>;
}

/** What this client starts and leaves in the background. */
export function startedSessions({ gateway, sessionsOnClose = 'keep', setting, log }: McpOptions): StartedSessions {
  const running = new Set<string>();
  const caller = actorOf(setting);
  return {
    note(tool, { details: { status, sessionId } }) {
      if (tool === 'exec' && status === 'running' && typeof sessionId === 'string') running.add(sessionId);
    },
    async left() {
      if (sessionsOnClose !== 'end' || running.size === 0 || gateway === undefined) return;
      const ending = [...running].map(async (sessionId) => {
        try {
          await (await gateway()).call('session.kill', { caller, sessionId });
        } catch (error) {
          log(`the session ${sessionId} could not be ended: ${(error as Error).message}`);
        }
      });
      running.clear();
      await Promise.all(ending);
    },
  };
}
