/** The names in a folder, as the tool `read` lists them, and what tools may not do with each. */
import { resolve } from 'node:path';
import { Fault } from '../../../../base/fault.ts';
import { homeFolder, stateFolder } from '../../../../config/state.ts';
import { toolFiles } from '../../../../runner/tools/tool-context.ts';
import { bytesSource } from '../../../../text/scan/source.ts';
import {
  MOST_TREE_ENTRIES,
  PAGE_METHODS,
  type PageMethods,
  type TreeEntry,
} from '../../../../wire/methods/page-methods.ts';
import type { CallOptions, Toolbox, ToolboxOptions } from '../../../assemble.ts';
import { authorOf } from '../../../author.ts';
import type { PageMethod } from './page-method.ts';
import { callOptions, type PageTools } from './page-tools.ts';

type Tree = PageMethods['files.tree']['result'];

export function filesTree(tools: PageTools): PageMethod {
  return {
    role: 'viewer',
    params: PAGE_METHODS['files.tree'].params,
    run: (params, call) =>
      tools.asOperator((toolbox, options) =>
        list(params as PageMethods['files.tree']['params'], toolbox, options, callOptions(call)),
      ),
  };
}

async function list(
  { under, after = 0 }: PageMethods['files.tree']['params'],
  toolbox: Toolbox,
  options: ToolboxOptions,
  how: CallOptions,
): Promise<Tree> {
  const path = under === '' ? '.' : under;
  const { details, error } = await toolbox.call('read', { path, offset: after + 1, limit: MOST_TREE_ENTRIES }, how);
  const { entries, totalEntries, code, hint } = details;
  // A folder is not a file: the tool says so, with the names.
  if (code !== 'READ_IS_FOLDER' || !Array.isArray(entries))
    throw new Fault('FS_NOT_FOLDER', error ?? `${path} is a file, not a folder`, {
      ...(typeof hint === 'string' ? { hint } : {}),
      details: { path },
    });
  const names = entries.map(String);
  const reasons = await protections(
    names.map((name) => (under === '' ? name : `${under}/${name}`)),
    toolbox,
    options,
  );
  return {
    total: Number(totalEntries),
    entries: names.map((entry, i) => entryOf(entry, reasons[i], toolbox)),
  };
}

const NOTHING = bytesSource(new Uint8Array());

/** Names of folders end with `/`. */
function entryOf(listed: string, reason: string | undefined, toolbox: Toolbox): TreeEntry {
  const isFolder = listed.endsWith('/');
  const name = isFolder ? listed.slice(0, -1) : listed;
  return {
    name,
    type: isFolder ? 'folder' : 'file',
    ...(reason === undefined ? {} : { protected: reason }),
    ...(!isFolder && toolbox.hides([name], NOTHING) ? { secrets: true as const } : {}),
  };
}

/** By the gate that also refuses the write. In a sandbox and on a node, only the preview of a change asks it. */
async function protections(
  paths: readonly string[],
  { node, sandboxed }: Toolbox,
  options: ToolboxOptions,
): Promise<readonly (string | undefined)[]> {
  if (node !== undefined || sandboxed) return [];
  const { workspace, stateDir = stateFolder(), protect } = options;
  const files = toolFiles(
    { workspace: resolve(workspace), stateDir, home: homeFolder(), author: authorOf(options) },
    protect === undefined ? {} : { protect },
  );
  try {
    const writer = await files.writer('page');
    return reasonsFor(paths, (some) =>
      writer.refuseProtected(some.map((path) => files.placeOf(path.replace(/\/$/u, ''), 'itself').file)),
    );
  } finally {
    files.close();
  }
}

/** Why `refuse` refuses each of the paths. A check of many costs little more than a check of one, so halves are checked first. */
function reasonsFor(
  paths: readonly string[],
  refuse: (some: readonly string[]) => void,
): readonly (string | undefined)[] {
  try {
    refuse(paths);
    return paths.map(() => undefined);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (paths.length === 1) return [error.message];
    const half = paths.length >> 1;
    return [...reasonsFor(paths.slice(0, half), refuse), ...reasonsFor(paths.slice(half), refuse)];
  }
}
