/** Test calls of `pincer init`: real `exec` calls as the agent makes them. They leave nothing pending or running. */
import { agentName } from '../../../config/agent.ts';
import { assembleTools, type Toolbox, type ToolResult } from '../../assemble.ts';
import { configuredToolbox } from '../../configured-toolbox.ts';
import type { PostureReport } from '../../posture.ts';
import { stopOnRequest } from '../daemon/stop.ts';
import { withGateway } from '../gateway.ts';
import { ifRunning } from '../if-running.ts';

export interface TestCall {
  readonly command: string;
  readonly outcome: 'ran' | 'asked' | 'refused' | 'failed';
  /** Output, approval reason or error, in one line. */
  readonly text: string;
}

/** A safe bin by default; counts its empty input. */
const PASSES = 'wc -c';
/** Harmless, and not allowed by default. */
const ASKS = 'tty';

/** Shorter than YIELD_MS, so that the call never returns with a running command. */
const TIMEOUT_SEC = 20;
const YIELD_MS = 60_000;

const CLIENT = 'pincer-init';
const BY = 'pincer init';
const REASON = 'pincer init made this call as a test';

/** Calls `exec` once, and if commands are judged, again with a command that asks. */
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
    await toolbox.decide({ approvalId, decision: 'deny', by: BY, reason: REASON, onlyThis: true });
    return { command, outcome: 'asked', text: String(reason) };
  }
  if (status === 'completed' && result.isError !== true) return { command, outcome: 'ran', text: firstLine(result) };
  return { command, outcome: status === 'denied' ? 'refused' : 'failed', text: firstLine(result) };
}

function firstLine({ content, error }: ToolResult): string {
  const [first] = content;
  const text = error ?? (first?.type === 'text' ? first.text : '');
  return text.trim().split('\n', 1)[0] ?? '';
}

/** Ids of the running sandboxes; undefined if no daemon runs. */
function daemonState(): Promise<readonly string[] | undefined> {
  return ifRunning(async (client) => (await client.call('sandbox.list', {})).map(({ id }) => id));
}

/** Stops the daemon if the test started it; otherwise ends a sandbox that the test started and nothing else uses. */
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
