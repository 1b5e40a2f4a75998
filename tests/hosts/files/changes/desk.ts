/** A workspace with a record of its changes beside it, and orders to change it in few words. */
import { readFileSync } from 'node:fs';
import { localFiles } from '../../../../src/hosts/files/files.ts';
import { changeRecorder } from '../../../../src/hosts/files/changes/recorder.ts';
import type { LogLimits } from '../../../../src/hosts/files/changes/log.ts';
import type { ByteSplice, Changes, FileChange, Files } from '../../../../src/hosts/files/shape.ts';
import { makeFolder } from '../../../support/folder.ts';

/** One thing to do to a file, by its name in the workspace. */
export type Order =
  | { readonly write: string; readonly bytes: string | Uint8Array; readonly mode?: number }
  | { readonly edit: string; readonly splices: readonly ByteSplice[] }
  | { readonly remove: string }
  | { readonly move: string; readonly to: string; readonly splices?: readonly ByteSplice[] };

export interface Desk {
  readonly root: string;
  readonly stateDir: string;
  readonly files: Files;
  readonly changes: Changes;
  /** Does all of it in one batch and gives the id of the recorded change. */
  commit(...orders: readonly Order[]): string;
  text(path: string): string;
}

interface DeskOptions {
  readonly agent?: string;
  readonly client?: string;
  readonly tool?: string;
  readonly limits?: LogLimits;
  /** Another desk, whose workspace and record are used. */
  readonly at?: Desk;
}

export async function desk(
  contents: Readonly<Record<string, string | Uint8Array>>,
  options: DeskOptions = {},
): Promise<Desk> {
  const { agent = 'main', client = 'editor', tool = 'edit', limits, at } = options;
  const entries = Object.entries({ '.keep': '', ...contents }).map(([name, text]) => [`ws/${name}`, text] as const);
  const folder = at === undefined ? makeFolder(Object.fromEntries(entries)) : '';
  const root = at?.root ?? `${folder}/ws`;
  const stateDir = at?.stateDir ?? `${folder}/state`;
  const author = { agent, client };
  const recorder = limits && changeRecorder({ stateDir, workspace: root, author, limits });
  const files = localFiles({ cwd: root, stateDir, author, durable: false, ...(recorder && { recorder }) });
  const writer = await files.writer(tool);
  const changes = await files.changes();
  return {
    root,
    stateDir,
    files,
    changes,
    commit: (...orders) => {
      writer.commit(orders.map((order) => toChange(order, files)));
      return changes.list({ limit: 1 })[0]!.id;
    },
    text: (path) => readFileSync(`${root}/${path}`, 'utf8'),
  };
}

function toChange(order: Order, files: Files): FileChange {
  if ('write' in order) {
    const { file, stamp } = files.placeOf(order.write);
    const bytes = typeof order.bytes === 'string' ? Buffer.from(order.bytes) : order.bytes;
    if (stamp === undefined) return { file, create: bytes, ...(order.mode === undefined ? {} : { mode: order.mode }) };
    return { file, stamp, edit: { splices: [{ start: 0, end: Number(stamp.size), bytes }] } };
  }
  if ('edit' in order) {
    const { file, stamp } = files.placeOf(order.edit);
    return { file, stamp: stamp!, edit: { splices: order.splices } };
  }
  if ('remove' in order) {
    const { file, stamp } = files.placeOf(order.remove, 'itself');
    return { file, stamp: stamp!, remove: true };
  }
  const { file, stamp } = files.placeOf(order.move);
  const target = files.placeOf(order.to);
  const over = target.stamp === undefined ? {} : { over: target.stamp };
  return { file, stamp: stamp!, moveTo: target.file, ...over, ...(order.splices && { splices: order.splices }) };
}
