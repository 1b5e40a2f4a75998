/**
 * Runs one call in a shared process. A call that exceeds the limits stops before it has written anything, and runs again
 * in a worker.
 */
import { Meter, NeedsWorker } from '../../hosts/workers/meter.ts';
import { sharedFiles } from '../../hosts/workers/metered-files.ts';
import { aborted } from '../../tools/abort.ts';
import { callTool } from '../../tools/call.ts';
import { inputSize } from '../../tools/input-size.ts';
import type { Tool, ToolContext } from '../../tools/tool.ts';
import type { ToolResult } from '../../wire/tool.ts';
import { sharedAllowance } from './allowances.ts';
import type { CallAnswer, SentOptions, ToolTask } from './task.ts';
import type { Lane } from './tool-workers.ts';

export interface SharedCall {
  readonly tool: Tool;
  /** The name in the call; may be an alias. */
  readonly name: string;
  readonly args: unknown;
  readonly context: ToolContext;
  readonly options: SentOptions;
  /** The toolbox of one client; the number of workers per owner is limited. */
  readonly owner: object;
  /** Makes the call without limits, for programs that cannot start a worker. */
  readonly unbounded: () => Promise<ToolResult>;
  readonly notify: (message: string) => void;
}

export async function callShared(call: SharedCall): Promise<ToolResult> {
  const { tool, name, args, context } = call;
  let lane: Lane = tool.name === 'read' ? 'text' : 'documents';
  try {
    // To complete the batches of dead processes may take long, and may have to wait for locks.
    if (context.files.hasLeftovers()) throw new NeedsWorker('an interrupted batch');
    const meter = new Meter(sharedAllowance(tool.name));
    const { characters, members } = inputSize(args);
    meter.countWhole(characters + members);
    const files = sharedFiles(context.files, meter);
    const media = () => {
      lane = 'documents';
      return Promise.reject(new NeedsWorker('images and PDFs'));
    };
    const result = await callTool([tool], name, args, { ...context, files, media });
    // Another process is writing the file; a worker can wait for it.
    if (result.details['code'] !== 'FS_LOCKED') return result;
  } catch (error) {
    if (!(error instanceof NeedsWorker)) throw error;
  }
  return callInWorker(call, lane);
}

/** How often a call waits for a file lock while the queue of waiters moves. */
const MOST_WAITS = 10;

async function callInWorker(call: SharedCall, lane: Lane): Promise<ToolResult> {
  for (let waits = 1; ; waits++) {
    const result = await callOnceInWorker(call, lane);
    const { code, queueMoved } = result.details;
    if (code !== 'FS_LOCKED' || queueMoved !== true || waits === MOST_WAITS) return result;
  }
}

async function callOnceInWorker(call: SharedCall, lane: Lane): Promise<ToolResult> {
  const { tool, args, context, options, owner, unbounded, notify } = call;
  const workers = (await import('./tool-workers.ts')).toolWorkers(lane);
  // Code that is bundled into another program has no program file to start workers from.
  if (workers === undefined) return unbounded();
  const task: ToolTask = {
    options,
    workspaceId: context.files.workspaceId,
    umask: process.umask(),
    work: { type: 'call', tool: tool.name, args },
  };
  const { signal } = context;
  try {
    const { result, notices } = (await workers.run(task, { owner, signal })) as CallAnswer;
    for (const notice of notices) notify(notice);
    return result;
  } catch (error) {
    if (signal?.aborted === true) throw aborted();
    throw error;
  }
}
