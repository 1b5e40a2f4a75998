/** THE SHAPE of a client whose hook we answer: it reads an event and writes an answer; the decision is shared. */
import type { Verdict } from '../../wire/policy.ts';
import { SERVER_NAME } from '../init/clients.ts';
import { isMembers, type Members, notAnEvent } from './event.ts';
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
  /** The question in an event; undefined where no rule is about it. */
  question(event: Members, start: HookStart): HookQuestion | undefined;
  /** What the client is told; nothing where it takes silence for this answer. */
  answerText(answer: HookAnswer): string;
}

/** The client's name for a tool of a server: Gemini CLI writes `mcp_pincer_exec`, the others `mcp__pincer__exec`. */
const SERVER_TOOL = /^mcp_+(?<server>.+?)_+(?<tool>[^_].*)$/u;

/** The subject of a call to a server: ours has rules of its own, others have none here; undefined for a tool of the client. */
export function serverTool(name: string, input: unknown): Subject | undefined {
  const { server, tool } = SERVER_TOOL.exec(name)?.groups ?? {};
  if (server === undefined || tool === undefined) return undefined;
  if (server !== SERVER_NAME) return { does: 'nothing' };
  if (!isMembers(input)) throw notAnEvent('tool_input is not an object');
  return { does: 'call', tool, input };
}

/** A question for a person; where no person would see it, the answer is no. */
export function asked(reason: string, { unattended }: HookQuestion): HookAnswer {
  return unattended === undefined
    ? { decision: 'ask', reason }
    : { decision: 'deny', reason: `${reason}; ${unattended}` };
}
