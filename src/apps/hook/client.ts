/** The interface of a client with a hook: it parses events and formats answers; all clients share the decision. */
import type { LoadedConfig } from '../../config/load/load.ts';
import type { Verdict } from '../../wire/policy.ts';
import { execTool } from '../../tools/exec.ts';
import type { ClientName } from '../init/clients.ts';
import type { Members } from './event.ts';
import type { Subject } from './subject.ts';

export interface HookQuestion {
  readonly subject: Subject;
  /** The client's current directory. */
  readonly cwd: string;
  /** The workspace, whose configuration applies. The agent chooses `cwd`, and could leave a project with stricter rules. */
  readonly project: string;
  /** Why no person can be asked; undefined if the client asks one. */
  readonly unattended?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The inputs of a decision. */
export interface DecisionContext {
  readonly question: HookQuestion;
  readonly agent: string;
  readonly env: Environment;
  readonly loaded: LoadedConfig;
}

export interface HookAnswer {
  readonly decision: Verdict;
  readonly reason: string;
}

/** The environment in which the client started the hook. */
export interface HookStart {
  readonly env: Environment;
  readonly cwd: string;
  /** Whether the client has a controlling terminal, so that a person may be present. */
  hasTerminal(): boolean;
}

export interface HookClient {
  /** Why no person is asked for any event; undefined if that depends on the event. */
  readonly unattended?: string;
  /** The question in an event; undefined if no rule applies to it. */
  question(event: Members, start: HookStart): HookQuestion | undefined;
  /** The answer in the client's format; empty if the client expects no output for it. */
  answerText(answer: HookAnswer): string;
}

/** How a client names server tools: Gemini CLI uses `mcp_pincer_exec`, the others `mcp__pincer__exec`. */
export interface ServerTools {
  readonly client: ClientName;
  readonly separator: '_' | '__';
}

/** The subject of a call to a server; undefined for a tool of the client. */
export function serverTool({ client, separator }: ServerTools, name: string, input: unknown): Subject | undefined {
  const prefix = `mcp${separator}`;
  const exec = `${separator}${execTool.name}`;
  if (!name.startsWith(prefix)) return undefined;
  // Pincer's file tools enforce their own rules, and no rules exist for other servers: only exec may run unjudged commands.
  if (!name.endsWith(exec) || name.length <= prefix.length + exec.length) return { does: 'nothing' };
  return { does: 'exec', client, separator, server: name.slice(prefix.length, -exec.length), input };
}

/** Asks a person, or denies if no person can be asked. */
export function askOrDeny(reason: string, { unattended }: HookQuestion): HookAnswer {
  return unattended === undefined
    ? { decision: 'ask', reason }
    : { decision: 'deny', reason: `${reason}; ${unattended}` };
}
