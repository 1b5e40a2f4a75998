import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createSessions } from '../../src/hosts/sessions/sessions.ts';
import type { Session, Sessions, SessionsOptions, SessionStart } from '../../src/hosts/sessions/shape.ts';
import type { Caller } from '../../src/wire/exec.ts';
import { makeFolder } from './folder.ts';
import { launchOf, makeLauncher, sh } from './launching.ts';

export const AGENT: Caller = { agent: 'main' };
export const OPERATOR: Caller = { agent: 'main', operator: true };

export interface SessionsUnderTest {
  readonly sessions: Sessions;
  /** Where the logs are spilled. */
  readonly folder: string;
  /** Starts a shell command as a session. */
  readonly run: (
    command: string,
    how?: Partial<Omit<SessionStart, 'launch'>> & Partial<SessionStart['launch']>,
  ) => Promise<Session>;
}

/** Sessions on the real launcher, ended with the test. */
export async function makeSessions(options: Partial<SessionsOptions> = {}): Promise<SessionsUnderTest> {
  const launcher = await makeLauncher();
  const folder = options.folder ?? join(makeFolder(), 'sessions');
  const sessions = createSessions({ folder, ...options });
  onTestFinished(() => sessions.close());
  return {
    sessions,
    folder,
    run: (
      command,
      { caller = AGENT, host = 'gateway', timeout = 0, background = true, attached, approvalId, ...launch } = {},
    ) => {
      const { session: _, ...rest } = launchOf([sh(command)], launch);
      const start: SessionStart = {
        launch: rest,
        caller,
        command,
        host,
        timeout,
        background,
        ...(attached === undefined ? {} : { attached }),
        ...(approvalId === undefined ? {} : { approvalId }),
      };
      return sessions.start(start, launcher);
    },
  };
}
