/** What `shellTool` of the OpenAI Agents SDK takes: commands of a model, run by our `exec` under our policy. */
import type { ToolResult } from '../../../wire/tool.ts';
import { textOf } from '../../library/agent-tool.ts';
import type { Hands } from '../../library/hands.ts';

interface ShellAction {
  readonly commands: readonly string[];
  readonly timeoutMs?: number | undefined;
  readonly maxOutputLength?: number | undefined;
}

// A type and no interface: the SDK's own has an index signature, which interfaces do not fit.
type ShellOutput = {
  stdout: string;
  stderr: string;
  outcome: { type: 'timeout' } | { type: 'exit'; exitCode: number | null };
};

/** For `shellTool(…)`. */
export interface OpenAiShell {
  readonly shell: { run(action: ShellAction): Promise<{ output: ShellOutput[]; maxOutputLength?: number }> };
  needsApproval(context: unknown, action: ShellAction, callId?: string): Promise<boolean>;
}

/** How many questions are remembered at most; older ones end in the inbox of approvals. */
const MOST_ASKED = 1_000;

/** The shell of one agent. */
export function openAiShell(hands: Hands, by: string): OpenAiShell {
  // The SDK runs an action that needed approval only after a yes, and does not tell the shell which call it was: so many
  // calls with the same commands were asked about, so many of them may run.
  const asked = new Map<string, Set<string>>();

  async function runOne(command: string, { timeoutMs, maxOutputLength }: ShellAction, approved: boolean) {
    const args = { command, ...(timeoutMs === undefined ? {} : { timeout: timeoutMs / 1_000 }) };
    const result = await hands.call('exec', args, {
      toEnd: true,
      ...(approved ? { approve: () => ({ decision: 'allow-once' as const, by }) } : {}),
    });
    return outputOf(result, maxOutputLength);
  }

  return {
    async needsApproval(_, action, callId = '') {
      const judgements = await Promise.all(action.commands.map((command) => hands.judge({ command })));
      const needed = judgements.some((judgement) => judgement?.verdict === 'ask');
      const key = keyOf(action);
      const calls = asked.get(key) ?? new Set<string>();
      asked.delete(key);
      // Without a question it is run at once, and must not find the entry of a call that a person has refused.
      if (needed) asked.set(key, calls.add(callId));
      const [oldest] = asked.keys();
      if (asked.size > MOST_ASKED && oldest !== undefined) asked.delete(oldest);
      return needed;
    },
    shell: {
      async run(action) {
        const approved = takeOne(asked, keyOf(action));
        const output: ShellOutput[] = [];
        for (const command of action.commands) output.push(await runOne(command, action, approved));
        const { maxOutputLength } = action;
        return { output, ...(maxOutputLength === undefined ? {} : { maxOutputLength }) };
      },
    },
  };
}

/** Whether one of the calls with this key was asked about; it is not again. */
function takeOne(asked: Map<string, Set<string>>, key: string): boolean {
  const calls = asked.get(key);
  if (calls === undefined) return false;
  for (const call of [...calls].slice(0, 1)) calls.delete(call);
  if (calls.size === 0) asked.delete(key);
  return true;
}

function keyOf({ commands, timeoutMs, maxOutputLength }: ShellAction): string {
  return JSON.stringify([commands, timeoutMs, maxOutputLength]);
}

function outputOf(result: ToolResult, limit: number | undefined): ShellOutput {
  const { status, aggregated, exitCode, code } = result.details;
  const stdout = shortened(typeof aggregated === 'string' ? aggregated : '', limit);
  if (status === 'completed') return { stdout, stderr: '', outcome: exit(exitCode) };
  const stderr = shortened(result.error ?? textOf(result), limit);
  if (code === 'EXEC_TIMEOUT') return { stdout, stderr, outcome: { type: 'timeout' } };
  return { stdout, stderr: status === 'failed' ? stderr : textOf(result), outcome: exit(exitCode) };
}

function exit(code: unknown): ShellOutput['outcome'] {
  return { type: 'exit', exitCode: typeof code === 'number' ? code : null };
}

/** The beginning and the end of a text that is longer than the model asked for. */
function shortened(text: string, limit: number | undefined): string {
  if (limit === undefined || limit < 0 || text.length <= limit) return text;
  const head = Math.ceil(limit / 2);
  return text.slice(0, head) + text.slice(text.length - (limit - head));
}
