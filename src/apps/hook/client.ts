/** THE SHAPE of a client whose hook we answer: it reads an event and writes an answer; the decision is shared. */
import type { Verdict } from '../../wire/policy.ts';
import { execTool } from '../../tools/exec.ts';
import type { ClientName } from '../init/clients.ts';
import type { Members } from './event.ts';
import type { Subject } from './subject.ts';

/** What an event asks. */
export interface HookQuestion {
  readonly subject: Subject;
  /** The folder that the client works in now. */
  readonly cwd: string;
  /** The workspace, whose configuration counts: the agent chooses `cwd` and could leave a project that tightens the rules. */
  readonly project: string;
  /** Why no person would see a question; undefined where the client asks one. */
  readonly unattended?: string;
}

export interface HookAnswer {
  readonly decision: Verdict;
  readonly reason: string;
}

/** Where the client started the hook. */
export interface HookStart {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Whether a terminal controls the client, so that somebody may sit in front of it. */
  hasTerminal(): boolean;
}

export interface HookClient {
  /** Why no person is asked, whatever the event; undefined where an event decides. */
  readonly unattended?: string;
  /** The question in an event; undefined where no rule is about it. */
  question(event: Members, start: HookStart): HookQuestion | undefined;
  /** What the client is told; nothing where it takes silence for this answer. */
  answerText(answer: HookAnswer): string;
}

/** How a client names the tools of servers: Gemini CLI writes `mcp_pincer_exec`, the others `mcp__pincer__exec`. */
export interface ServerTools {
  readonly client: ClientName;
  readonly joint: '_' | '__';
}

/** The subject of a call to a server; undefined for a tool of the client. */
export function serverTool({ client, joint }: ServerTools, name: string, input: unknown): Subject | undefined {
  const prefix = `mcp${joint}`;
  const exec = `${joint}${execTool.name}`;
  if (!name.startsWith(prefix)) return undefined;
  // File tools of ours keep their own rules, and other servers have none here: only exec may run something unjudged.
  if (!name.endsWith(exec) || name.length <= prefix.length + exec.length) return { does: 'nothing' };
  return { does: 'exec', client, joint, server: name.slice(prefix.length, -exec.length), input };
}

/** A question for a person; where no person would see it, the answer is no. */
export function asked(reason: string, { unattended }: HookQuestion): HookAnswer {
  return unattended === undefined
    ? { decision: 'ask', reason }
    : { decision: 'deny', reason: `${reason}; ${unattended}` };
}
