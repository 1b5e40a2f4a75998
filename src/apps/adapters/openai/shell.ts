/** The shell for `shellTool` of the OpenAI Agents SDK: `exec` runs the model's commands under pincer's policy. */
import type { ToolResult } from '../../../wire/tool.ts';
import { resultText } from '../../library/agent-tool.ts';
import type { AgentToolbox } from '../../library/agent-toolbox.ts';

interface ShellAction {
  readonly commands: readonly string[];
  readonly timeoutMs?: number | undefined;
  readonly maxOutputLength?: number | undefined;
}

// A type, not an interface: interfaces are not assignable to the SDK's type, which has an index signature.
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

/** Older requests are forgotten, and wait as pending approvals. */
const MOST_ASKED = 1_000;

export function openAiShell(agentTools: AgentToolbox, by: string): OpenAiShell {
  // The SDK runs an action that needed approval only after it was granted, without the id of the call: as many calls
  // with the same commands may run as there were requests for them.
  const asked = new Map<string, Set<string>>();

  async function runOne(command: string, { timeoutMs, maxOutputLength }: ShellAction, approved: boolean) {
    const args = { command, ...(timeoutMs === undefined ? {} : { timeout: timeoutMs / 1_000 }) };
    const result = await agentTools.call('exec', args, {
      toEnd: true,
      ...(approved ? { approve: () => ({ decision: 'allow-once' as const, by }) } : {}),
    });
    return outputOf(result, maxOutputLength);
  }

  return {
    async needsApproval(_, action, callId = '') {
      const judgements = await Promise.all(action.commands.map((command) => agentTools.judge({ command })));
      const needed = judgements.some((judgement) => judgement?.verdict === 'ask');
      const key = keyOf(action);
      const calls = asked.get(key) ?? new Set<string>();
      asked.delete(key);
      // Without a request the action runs immediately, and must not find the entry of a call that a person has denied.
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

/** Removes one requested call with this key; false if there is none. */
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
  const stderr = shortened(result.error ?? resultText(result), limit);
  if (code === 'EXEC_TIMEOUT') return { stdout, stderr, outcome: { type: 'timeout' } };
  return { stdout, stderr: status === 'failed' ? stderr : resultText(result), outcome: exit(exitCode) };
}

function exit(code: unknown): ShellOutput['outcome'] {
  return { type: 'exit', exitCode: typeof code === 'number' ? code : null };
}

/** The beginning and the end of a text that exceeds the model's limit. */
function shortened(text: string, limit: number | undefined): string {
  if (limit === undefined || limit < 0 || text.length <= limit) return text;
  const head = Math.ceil(limit / 2);
  return text.slice(0, head) + text.slice(text.length - (limit - head));
}
