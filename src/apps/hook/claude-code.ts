/**
 * A PreToolUse hook of Claude Code: our policy in front of its own Bash.
 *
 * What is promised: the text of the command is judged as `exec` on host=gateway would be, with the PATH that the hook was
 * started with and the folder that Claude Code names; a chain is allowed when each of its commands would be allowed alone.
 * What is not: Claude Code runs the text itself, in a shell of its own. Functions and aliases of that shell, another PATH
 * in it, and programs that are exchanged between the answer and the run are out of sight. Only `exec` runs what it judged.
 */
import { isAbsolute } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { Verdict } from '../../wire/policy.ts';

/** What Claude Code says about a call, as far as it matters. */
export interface BashCall {
  readonly command: string;
  readonly cwd: string;
  /** `default`, `acceptEdits`, `plan`, `bypassPermissions`, `dontAsk`, `auto`; older ones do not say. */
  readonly mode: string | undefined;
}

/** What the hook answers. */
export interface HookAnswer {
  readonly decision: Verdict;
  readonly reason: string;
}

/** The call of Bash in what Claude Code wrote; undefined for another event or another tool, which are not ours. */
export function readBashCall(text: string): BashCall | undefined {
  const { hook_event_name: event, tool_name: tool, tool_input: input, cwd, permission_mode: mode } = objectIn(text);
  if (typeof event !== 'string') throw wrong('hook_event_name is no text');
  if (event !== 'PreToolUse') return undefined;
  if (typeof tool !== 'string') throw wrong('tool_name is no text');
  if (tool !== 'Bash') return undefined;
  const command = (input as { readonly command?: unknown } | null | undefined)?.command;
  if (typeof command !== 'string') throw wrong('tool_input.command is no text');
  if (typeof cwd !== 'string' || !isAbsolute(cwd)) throw wrong('cwd is no absolute path');
  if (mode !== undefined && typeof mode !== 'string') throw wrong('permission_mode is no text');
  return { command, cwd, mode };
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/u, ''));
  } catch (error) {
    throw wrong(`it is no JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong('it is no object');
  return value as Readonly<Record<string, unknown>>;
}

/** A call that nobody can read is a call that nobody may make. */
export function wrong(what: string): Fault {
  return new Fault('USAGE_HOOK_INPUT', `what came on standard input is no call of a hook: ${what}`, {
    hint: 'the command is not run; Claude Code writes the JSON of a PreToolUse event',
  });
}

/** The answer in Claude Code's own form. */
export function answerText({ decision, reason }: HookAnswer): string {
  const hookSpecificOutput = {
    hookEventName: 'PreToolUse',
    permissionDecision: decision,
    permissionDecisionReason: reason,
  };
  return `${JSON.stringify({ hookSpecificOutput })}\n`;
}
