/** The program as a worker: runs the tool calls that its parent sends. */
import { Fault } from '../../../base/fault.ts';
import { localFiles } from '../../../hosts/files/files.ts';
import type { Files } from '../../../hosts/files/shape.ts';
import { type Allowance, type Excess, Meter } from '../../../hosts/workers/meter.ts';
import { meteredFiles } from '../../../hosts/workers/metered-files.ts';
import { serveTasks } from '../../../hosts/workers/serve-tasks.ts';
import { resolveRaw } from '../../../tools/path/verbs.ts';
import { hidesFile } from '../../../tools/secrets/secrets.ts';
import { assembleTools, type Toolbox } from '../../assemble.ts';
import { closeToolbox } from '../../toolbox-close.ts';
import { workerAllowance } from '../../worker/allowances.ts';
import type { CallAnswer, SentOptions, ToolTask } from '../../worker/task.ts';

/** Toolboxes that are kept: each has pinned its workspace, which costs a moment. */
const MOST_KEPT = 8;
/**
 * All waits for locks of one call end so long after its start. That is shorter than the deadline of the call, so that
 * FS_LOCKED is the answer, and leaves time for the work.
 */
const LOCK_WAIT_MS = 15_000;

/** Of the text at an address, in characters: the parent hands it on in one piece. */
const LONGEST_TEXT = 16 << 20;

/** The call that is being worked on: one at a time. */
let current = { lockDeadline: 0, writing: (): void => {} };

interface Kept {
  readonly toolbox: Toolbox;
  /** What its `onNotice` has heard since it was asked last. */
  readonly notices: string[];
}

const kept = new Map<string, Kept>();

/** Serves until the parent closes the channel. */
export async function runWorker(): Promise<number> {
  if (process.send === undefined)
    throw new Fault('USAGE_ARGUMENTS', 'pincer starts workers itself', { hint: 'see pincer --help' });
  serveTasks((task, signal, writing) => {
    current = { lockDeadline: Date.now() + LOCK_WAIT_MS, writing };
    return perform(task as ToolTask, signal);
  });
  return new Promise(() => {}); // the end of the channel ends the process
}

async function perform({ options, workspaceId, umask, work }: ToolTask, signal: AbortSignal): Promise<unknown> {
  process.umask(umask);
  if (work.type === 'call') {
    const { toolbox, notices } = toolboxFor(options, workspaceId);
    const result = await toolbox.call(work.tool, work.args, { signal });
    return { result, notices: notices.splice(0) } satisfies CallAnswer;
  }
  const { workspace: cwd, stateDir } = options;
  const files = localFiles({ cwd, stateDir, hardLinks: 'refuse' });
  try {
    const hides = hidesFile(work.view);
    const text = await resolveRaw(boundedFiles(files, 'path', workspaceId), work.address, { hides });
    if ((text?.length ?? 0) > LONGEST_TEXT) throw tooLong(work.address);
    return text;
  } finally {
    files.close();
  }
}

function toolboxFor(options: SentOptions, workspaceId: string): Kept {
  const key = JSON.stringify([workspaceId, options]);
  const known = kept.get(key);
  if (known !== undefined) return known;
  const notices: string[] = [];
  const onNotice = (message: string): void => void notices.push(message);
  const toolbox = assembleTools(
    { ...options, heavyCalls: 'here', onNotice },
    {
      lockWaitMs: LOCK_WAIT_MS,
      lockDeadline: () => current.lockDeadline,
      filesFor: (files, tool) => boundedFiles(files, tool, workspaceId),
    },
  );
  const [oldest] = kept;
  if (kept.size >= MOST_KEPT && oldest !== undefined) {
    kept.delete(oldest[0]);
    closeToolbox(oldest[1].toolbox);
  }
  const made = { toolbox, notices };
  kept.set(key, made);
  return made;
}

/** The files of one call: of the very folder that the sender has pinned, and no document that cannot fit. */
function boundedFiles(files: Files, tool: string, workspaceId: string): Files {
  if (files.workspaceId !== workspaceId)
    throw new Fault('FS_CHANGED', `${files.workspace} is another folder than it was when the tools were set up`, {
      hint: 'start the program again, so that it works on the folder of this name',
      details: { path: files.workspace },
    });
  const allowance = workerAllowance(tool);
  return meteredFiles(
    files,
    new Meter(
      allowance,
      (excess) => tooLarge(excess, allowance),
      () => current.writing(),
    ),
  );
}

function tooLong(address: string): Fault {
  return new Fault('TOOL_TOO_LARGE', `the text at ${address} has more than ${LONGEST_TEXT} characters`, {
    hint: 'name a smaller part of the document',
    details: { most: LONGEST_TEXT },
  });
}

function tooLarge({ amount, of }: Excess, { whole, names }: Allowance): Fault {
  if (of === 'names')
    return new Fault(
      'TOOL_TOO_LARGE',
      `the call writes ${amount} files and folders, and ${names} are the most that one call may write; nothing was written`,
      {
        hint: 'split it into several calls; a file counts once, and once more for each folder above it',
        details: { names: amount, most: names },
      },
    );
  return new Fault(
    'TOOL_TOO_LARGE',
    `the document has ${amount} bytes, and ${whole} are the most that one call may read`,
    {
      hint: 'split it; JSONL is read at any size, and so is one leaf of a JSON file',
      details: { bytes: amount, most: whole },
    },
  );
}
