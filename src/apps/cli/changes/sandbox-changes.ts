/** Changes made in a running sandbox. The sandbox keeps their record, which ends with it. */
import { Fault } from '../../../base/fault.ts';
import { isOperator } from '../../../config/agent.ts';
import type { Reversal } from '../../../hosts/files/shape.ts';
import { ownerText } from '../../../hosts/sandbox/owner.ts';
import type { ToolResult } from '../../../wire/tool.ts';
import { operatorCaller, withGateway } from '../gateway.ts';
import { visible } from '../../terminal/visible.ts';
import { jsonOutput, type Output } from '../../terminal/output.ts';

interface SandboxChange {
  readonly id: string;
  readonly time: number;
  readonly state: string;
  readonly isOriginal: boolean;
  readonly isUndo: boolean;
}

/** Identifies the sandbox of an agent in a folder. */
export interface SandboxRecord {
  readonly folder: string;
  readonly agent: string;
  readonly conversation?: string | undefined;
  /** Settings from the environment; they also select the sandbox. */
  readonly restrictions?: Readonly<Record<string, unknown>> | undefined;
}

export interface RecordUnavailable {
  readonly why: string;
}

const MOST_CHANGES = 1_000;

/** Changes of all clients, newest first. */
export async function sandboxChanges(
  place: SandboxRecord,
): Promise<{ readonly changes: readonly SandboxChange[] } | RecordUnavailable> {
  const answer = await callChangesTool(place, { action: 'list', limit: MOST_CHANGES });
  if ('why' in answer) return answer;
  if (answer.isError === true) throw faultOf(answer);
  const { changes } = answer.details;
  return { changes: Array.isArray(changes) ? changes.flatMap(changeOf) : [] };
}

export function newestSandboxChange(
  verb: 'undo' | 'redo',
  changes: readonly SandboxChange[],
): Pick<SandboxChange, 'id' | 'time'> | undefined {
  return changes.find(({ state, isOriginal, isUndo }) => state !== 'undone' && (verb === 'undo' ? isOriginal : isUndo));
}

/** Undoes or redoes a change in the sandbox, and prints the result. */
export async function reverseInSandbox(
  verb: 'undo' | 'redo',
  id: string,
  place: SandboxRecord,
  { json, output }: { readonly json: boolean; readonly output: Output },
): Promise<number> {
  const answer = await callChangesTool(place, { action: verb, id });
  if ('why' in answer) throw recordUnavailable(answer);
  if (answer.isError === true) throw faultOf(answer);
  if (json) jsonOutput(output).out(`${JSON.stringify({ ...answer.details, sandbox: true, ok: true }, null, 2)}\n`);
  else output.out(`${visible(resultText(answer))} in the sandbox\n`);
  return 0;
}

/** The newest change may be in a sandbox whose record is unavailable. */
export function recordUnavailable({ why }: RecordUnavailable): Fault {
  return new Fault('CHANGE_REFUSED', why, {
    hint: 'name a change on this machine by its id; pincer changes lists them',
  });
}

/** Notice for a list of changes on this machine: changes in the sandbox are missing from it. */
export async function sandboxNotice(place: SandboxRecord): Promise<string> {
  const hidden = 'this list does not include changes in the sandbox';
  try {
    const running = await withGateway((client) => client.call('sandbox.list', {}), false);
    const isOwn = running.some((each) => each.workspace === place.folder && each.owner === ownerText(each, place));
    if (!isOwn) return noSandboxRuns(place);
    return `${hidden}; pincer call changes '{"action":"list"}' --allow-undo lists them`;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.code === 'GATEWAY_NOT_RUNNING' ? noSandboxRuns(place) : `${hidden}: ${error.message}`;
  }
}

/** Whether the newest change on this machine is later than the one in the sandbox. */
export function isLater(here: Reversal, inside: Pick<SandboxChange, 'time'>): boolean {
  return here.ok && here.changes.some(({ time }) => Date.parse(time) > inside.time);
}

function noSandboxRuns({ agent, folder }: Pick<SandboxRecord, 'agent' | 'folder'>): string {
  return withRecordLoss(`agent ${agent} has no running sandbox for ${folder}`);
}

export function withRecordLoss(why: string): string {
  return `${why}; the record of changes in a sandbox ends with the sandbox`;
}

async function callChangesTool(place: SandboxRecord, args: object): Promise<ToolResult | RecordUnavailable> {
  const { folder, agent, conversation, restrictions } = place;
  const { operator: _, ...caller } = operatorCaller(agent, conversation);
  try {
    return await withGateway(
      (client) =>
        client.call('sandbox.tool', {
          caller: { ...caller, ...(isOperator() ? { operator: true as const } : {}) },
          folder,
          tool: 'changes',
          args,
          onlyRunning: true,
          ...(restrictions === undefined ? {} : { restrictions }),
        }),
      false,
    );
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (error.code === 'GATEWAY_NOT_RUNNING') return { why: noSandboxRuns(place) };
    if (error.code === 'SANDBOX_NOT_RUNNING') return { why: withRecordLoss(error.message) };
    throw error;
  }
}

/** The sandbox is untrusted: ignore anything of another shape. */
function changeOf(change: unknown): readonly SandboxChange[] {
  const { id, time, state, undoes, redoes } = Object(change) as Record<string, unknown>;
  if (typeof id !== 'string' || typeof time !== 'string' || typeof state !== 'string') return [];
  const isUndo = undoes !== undefined;
  return [{ id, time: Date.parse(time), state, isOriginal: !isUndo && redoes === undefined, isUndo }];
}

function faultOf(answer: ToolResult): Fault {
  const { hint } = answer.details;
  const message = `${answer.error ?? resultText(answer)} (in the sandbox)`;
  return new Fault('CHANGE_REFUSED', message, typeof hint === 'string' ? { hint } : {});
}

function resultText({ content }: ToolResult): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
