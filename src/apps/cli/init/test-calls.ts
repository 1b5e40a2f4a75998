/** The test that `pincer init` ends with: real calls of `exec` as the agent makes them, with nothing left pending or running. */
import { Fault } from '../../../base/fault.ts';
import { agentName } from '../../../config/agent.ts';
import { assembleTools, type Toolbox, type ToolResult } from '../../assemble.ts';
import { configuredToolbox } from '../../configured-toolbox.ts';
import type { PostureReport } from '../../posture.ts';
import { stopOnRequest } from '../daemon/stop.ts';
import { withGateway } from '../gateway.ts';

/** A call and what became of it. */
export interface TestCall {
  readonly command: string;
  readonly outcome: 'ran' | 'asked' | 'refused' | 'failed';
  /** The output, the question or the reason, in one line. */
  readonly text: string;
}

/** It counts the bytes of its empty input, and is a safe bin by default. */
const PASSES = 'wc -c';
/** It reads nothing and changes nothing, and is on no list by default. */
const ASKS = 'date';

/** Seconds; ended before the call would come back with a command that still runs. */
const TIMEOUT_SEC = 20;
const YIELD_MS = 60_000;

/** Who calls, in records: no client did. */
const CLIENT = 'pincer-init';
const BY = 'pincer init';
const REASON = 'pincer init made this call as a test';

/** Calls `exec` once, and where commands are judged a second time with a command that asks. */
export async function testCalls(folder: string, { kind }: PostureReport): Promise<readonly TestCall[]> {
  const before = await daemonState();
  const toolbox = assembleTools(
    await configuredToolbox({
      asks: 'agent',
      agent: agentName(),
      workspace: folder,
      heavyCalls: 'here',
      client: CLIENT,
    }),
  );
  try {
    const calls: TestCall[] = [];
    for (const command of kind === 'judged' ? [PASSES, ASKS] : [PASSES]) calls.push(await testCall(toolbox, command));
    return calls;
  } finally {
    await restore(before);
  }
}

async function testCall(toolbox: Toolbox, command: string): Promise<TestCall> {
  const result = await toolbox.call('exec', { command, timeout: TIMEOUT_SEC, yieldMs: YIELD_MS });
  const { status, approvalId, reason } = result.details;
  if (status === 'approval-pending' && typeof approvalId === 'string') {
    await toolbox.decide({ approvalId, decision: 'deny', by: BY, reason: REASON });
    return { command, outcome: 'asked', text: String(reason) };
  }
  if (status === 'completed' && result.isError !== true) return { command, outcome: 'ran', text: textOf(result) };
  return { command, outcome: status === 'denied' ? 'refused' : 'failed', text: textOf(result) };
}

function textOf({ content, error }: ToolResult): string {
  const [first] = content;
  const text = error ?? (first?.type === 'text' ? first.text : '');
  return text.trim().split('\n', 1)[0] ?? '';
}

/** The sandboxes of the agent in the daemon that runs; undefined where none does. */
async function daemonState(): Promise<readonly string[] | undefined> {
  try {
    return await withGateway(async (client) => (await client.call('sandbox.list', {})).map(({ id }) => id), false);
  } catch (error) {
    if (error instanceof Fault && error.code === 'GATEWAY_NOT_RUNNING') return undefined;
    throw error;
  }
}

/** A daemon that the test started ends; in one that ran before, the sandbox that the test started ends if nothing uses it. */
async function restore(before: readonly string[] | undefined): Promise<void> {
  if (before === undefined) {
    await stopOnRequest();
    return;
  }
  await withGateway(async (client) => {
    const added = (await client.call('sandbox.list', {})).filter(({ id }) => !before.includes(id));
    if (before.length === 0 && added.length > 0 && added.every(({ running }) => running === 0))
      await client.call('sandbox.recreate', { agent: agentName() });
  }, false);
}
