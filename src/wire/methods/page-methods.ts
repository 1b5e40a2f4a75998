/** The methods that the server of the control page answers itself; `methods.ts` has those of the daemon. */
import {
  type Infer,
  array,
  boolean,
  integer,
  json,
  literal,
  number,
  object,
  oneOf,
  partial,
  record,
  string,
} from '../schema.ts';
import { bindingAnswer, execBindings } from '../nodes/binding.ts';
import { toolResult } from '../tool.ts';

/**
 * `agent`: as the served agent gets it. `operator` (default): as at the command line, with undo of all changes. Policy and the
 * boundary of the workspace are the same for both.
 */
const as = oneOf(['agent', 'operator']);

const toolInfo = object({
  name: string(),
  alsoCalled: array(string()),
  description: string(),
  /** JSON Schema of an object. */
  inputSchema: json(),
  aliases: record(array(string())),
  effects: oneOf(['reads', 'writes', 'runs']),
});
export type ListedTool = Infer<typeof toolInfo>;

const treeEntry = object(
  { name: string(), type: oneOf(['file', 'folder']) },
  {
    /** Why tools may not write it. */
    protected: string(),
    /** Tools hide values in it. */
    secrets: literal(true),
  },
);
export type TreeEntry = Infer<typeof treeEntry>;

const configLayer = oneOf(['user', 'project']);

const settings = object({
  path: string(),
  value: json(),
  /** Each value that is in effect, and where it is set. */
  sources: array(
    object(
      { path: string(), value: json(), layer: string() },
      { file: string(), line: number(), ocPath: string(), variable: string() },
    ),
  ),
  files: array(object({ layer: string(), path: string(), exists: boolean(), revision: string() })),
  warnings: array(string()),
});
export type Settings = Infer<typeof settings>;

const writtenSetting = object({
  path: string(),
  file: string(),
  /** The address of the setting in its file. */
  ocPath: string(),
  found: boolean(),
  changed: boolean(),
  created: boolean(),
  diff: string(),
  warnings: array(string()),
  /** Of the file after the write. */
  revision: string(),
});
export type WrittenSetting = Infer<typeof writtenSetting>;

/** The most names of a folder in one answer. */
export const MOST_TREE_ENTRIES = 500;

/** By name. The result of a tool is checked by the page, and the arguments by the tool. */
export const PAGE_METHODS = {
  'tool.list': { params: partial({ as }), result: object({ tools: array(toolInfo) }) },
  'tool.call': {
    params: object({ tool: string({ max: 100 }), args: json({ depth: 100, values: 100_000 }) }, { as }),
    result: toolResult,
  },
  /** The panel "Exec node binding". */
  'binding.get': { params: object({}), result: execBindings },
  'binding.set': {
    params: object(
      {
        /** Of the file, from `binding.get`. */
        revision: string({ max: 100 }),
      },
      {
        /** Absent: the default of all agents. */
        agent: string({ max: 200 }),
        /** The id or the name of a node; absent removes the setting. */
        node: string({ max: 200 }),
        /** Returns the diff and writes nothing. */
        dryRun: boolean(),
      },
    ),
    result: bindingAnswer,
  },
  /** Effective settings with their sources, and the files that have them. */
  'config.get': { params: partial({ path: string({ max: 1_000 }) }), result: settings },
  /** Writes a setting as `pincer config set` does, where its file still has the revision; without `value`, removes it. */
  'config.set': {
    params: object(
      { path: string({ max: 1_000 }), revision: string({ max: 100 }) },
      { value: json({ depth: 100, values: 10_000 }), layer: configLayer, dryRun: boolean() },
    ),
    result: writtenSetting,
  },
  /** The names in a folder of the workspace. */
  'files.tree': {
    params: object({ under: string({ max: 4_096 }) }, { after: integer({ min: 0 }) }),
    result: object({ entries: array(treeEntry), total: integer({ min: 0 }) }),
  },
} as const;

export type PageMethodName = keyof typeof PAGE_METHODS;
export type PageMethods = {
  readonly [M in PageMethodName]: {
    readonly params: Infer<(typeof PAGE_METHODS)[M]['params']>;
    readonly result: Infer<(typeof PAGE_METHODS)[M]['result']>;
  };
};
