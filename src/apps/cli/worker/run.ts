/** The worker process: runs the tool calls that its parent sends. */
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

/** Size of the toolbox cache. Opening a workspace takes time. */
const MOST_TOOLBOXES = 8;
/**
 * Limit for all lock waits of one call. Shorter than the deadline of the call, so that the call fails with FS_LOCKED, and
 * time for the work remains.
 */
const LOCK_WAIT_MS = 15_000;

/** Limit of the text at an address, in characters: the parent passes it on in one message. */
const LONGEST_TEXT = 16 << 20;

/** The current call: a worker runs one at a time. */
let current = { lockDeadline: 0, writing: (): void => {} };

interface CachedToolbox {
  readonly toolbox: Toolbox;
  /** Notices since the last call. */
  readonly notices: string[];
}

const toolboxes = new Map<string, CachedToolbox>();

/** Serves until the parent closes the channel. */
export async function runWorker(): Promise<number> {
  if (process.send === undefined)
    throw new Fault('USAGE_ARGUMENTS', 'only pincer starts workers', { hint: 'see pincer --help' });
  serveTasks((task, signal, writing) => {
    current = { lockDeadline: Date.now() + LOCK_WAIT_MS, writing };
    return perform(task as ToolTask, signal);
  });
  return new Promise(() => {}); // the process ends with the channel
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

function toolboxFor(options: SentOptions, workspaceId: string): CachedToolbox {
  const key = JSON.stringify([workspaceId, options]);
  const known = toolboxes.get(key);
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
  const [oldest] = toolboxes;
  if (toolboxes.size >= MOST_TOOLBOXES && oldest !== undefined) {
    toolboxes.delete(oldest[0]);
    closeToolbox(oldest[1].toolbox);
  }
  const made = { toolbox, notices };
  toolboxes.set(key, made);
  return made;
}

/** The files of one call, limited in size. Refuses a workspace that is not the folder that the parent opened. */
function boundedFiles(files: Files, tool: string, workspaceId: string): Files {
  if (files.workspaceId !== workspaceId)
    throw new Fault('FS_CHANGED', `${files.workspace} was replaced by another folder since the tools were set up`, {
      hint: 'restart the program to work in the new folder',
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
      `the call writes ${amount} files and folders, more than the limit of ${names}; nothing was written`,
      {
        hint: 'split it into several calls; a file counts once, and once more for each parent folder',
        details: { names: amount, most: names },
      },
    );
  return new Fault('TOOL_TOO_LARGE', `the document has ${amount} bytes, more than the limit of ${whole}`, {
    hint: 'split it; JSONL files, and single leaves of JSON files, have no size limit',
    details: { bytes: amount, most: whole },
  });
}
