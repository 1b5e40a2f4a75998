/** How each family of models spells the parameters of the tools: data, read by `present.ts` and `accept.ts`. */
import type { PropertySchema } from '../../../tools/tool.ts';

/** The families that have a spelling of their own; `minimal` is the shortest list that does the work. */
export const PRESETS = ['claude', 'codex', 'openclaw', 'minimal'] as const;

export type PresetName = (typeof PRESETS)[number];

/** What a preset makes of one tool. */
export interface Spelling {
  /** The parameters that are listed, by canonical name, in this order (default: all of them). */
  readonly shown?: readonly string[];
  /** Canonical name to listed name. */
  readonly names?: Readonly<Record<string, string>>;
  /** Listed in place of the tool's own, by canonical name, where the family means something else by it. */
  readonly schemas?: Readonly<Record<string, PropertySchema>>;
  /** Instead of the tool's own, where that speaks of parameters that are not listed. */
  readonly description?: string;
  /** Stands behind the description. */
  readonly note?: string;
}

/** A name that no tool has, and what it stands for. */
export interface ForeignName {
  readonly name: string;
  /** The canonical name; without it the parameter says nothing that a call needs, and is left out. */
  readonly means?: string;
  /** How many of its units are one of the canonical parameter's (default: 1). */
  readonly per?: number;
}

/** Names that are understood whatever the preset; the tools' own aliases are not repeated here. */
export const FOREIGN: Readonly<Record<string, readonly ForeignName[]>> = {
  exec: [
    { name: 'run_in_background', means: 'background' },
    { name: 'yield_time_ms', means: 'yieldMs' },
    { name: 'tty', means: 'pty' },
    { name: 'timeout_ms', means: 'timeout', per: 1000 },
    // What follows asks for more rights or explains; leaving it out never lets a command do more.
    { name: 'description' },
    { name: 'justification' },
    { name: 'sandbox_permissions' },
    { name: 'prefix_rule' },
    { name: 'dangerouslyDisableSandbox' },
    // Output is bounded anyway, and a login shell is the operator's choice.
    { name: 'max_output_tokens' },
    { name: 'login' },
  ],
  process: [
    { name: 'chars', means: 'data' },
    { name: 'yield_time_ms', means: 'timeout' },
    { name: 'bash_id', means: 'sessionId' },
    { name: 'shell_id', means: 'sessionId' },
    { name: 'max_output_tokens' },
  ],
};

/** Canonical names that mean another unit once a preset has listed them so: sent so many, worth one. */
export const UNITS: Readonly<Partial<Record<PresetName, Readonly<Record<string, Readonly<Record<string, number>>>>>>> =
  {
    claude: { exec: { timeout: 1000 } },
  };

/** With an underscore before each capital, as both families spell names of their own. */
const SNAKE = {
  read: { lineNumbers: 'line_numbers' },
  write: { dryRun: 'dry_run', expectHash: 'expect_hash' },
  edit: { dryRun: 'dry_run', expectHash: 'expect_hash', replaceAll: 'replace_all' },
  apply_patch: { dryRun: 'dry_run' },
  process: { sessionId: 'session_id' },
  path: { valueJson: 'value_json', dryRun: 'dry_run' },
} as const;

export const SPELLINGS: Readonly<Record<PresetName, Readonly<Record<string, Spelling>>>> = {
  claude: {
    read: { names: { ...SNAKE.read, path: 'file_path' } },
    write: { names: { ...SNAKE.write, path: 'file_path' } },
    edit: { names: { ...SNAKE.edit, path: 'file_path', oldText: 'old_string', newText: 'new_string' } },
    apply_patch: { names: SNAKE.apply_patch },
    exec: {
      names: { yieldMs: 'yield_ms', background: 'run_in_background' },
      schemas: {
        timeout: {
          type: 'number',
          minimum: 0,
          description: 'Milliseconds after which it is ended (default 1800000)',
        },
      },
    },
    process: { names: SNAKE.process },
    path: { names: SNAKE.path },
  },
  codex: {
    read: { names: SNAKE.read },
    write: { names: SNAKE.write },
    edit: { names: { ...SNAKE.edit, oldText: 'old_text', newText: 'new_text' } },
    apply_patch: { names: SNAKE.apply_patch },
    exec: { names: { command: 'cmd', yieldMs: 'yield_time_ms', pty: 'tty' } },
    process: {
      names: { ...SNAKE.process, data: 'chars', timeout: 'yield_time_ms' },
      note: 'To type and see what comes of it, write chars and then poll with yield_time_ms.',
    },
    path: { names: SNAKE.path },
  },
  openclaw: {
    read: { shown: ['path', 'offset', 'limit'] },
    write: { shown: ['path', 'content'] },
    edit: {
      shown: ['path', 'oldText', 'newText', 'edits'],
      description:
        'Replace text in a file. oldText must stand in the file exactly once; everything else in the file stays byte for byte. ' +
        'Several edits of one file go into edits: they are all made against the original, all or none, and may not overlap.',
    },
    apply_patch: { shown: ['input'] },
  },
  minimal: {
    read: { shown: ['path', 'offset', 'limit'] },
    write: { shown: ['path', 'content'] },
    edit: {
      shown: ['path', 'oldText', 'newText', 'replaceAll'],
      description:
        'Replace text in a file. oldText must stand in the file exactly once (or set replaceAll); everything else in the file stays byte for byte.',
    },
    apply_patch: { shown: ['input'] },
    exec: {
      shown: ['command', 'workdir', 'background', 'timeout'],
      description:
        'Run a shell command in the workspace. After 10 s it goes on in the background: use the tool process with its sessionId to poll, read its log, type into it or end it.',
    },
    process: {
      shown: ['action', 'sessionId', 'data', 'keys', 'timeout'],
      description:
        'Work with the commands that exec left running. list shows them, poll gives new output, log gives lines; write, send-keys (tmux names: Enter, C-c, Up) and submit (Enter) type into one; kill ends one.',
    },
    path: { shown: ['verb', 'path', 'value'] },
    changes: { shown: ['action', 'id'] },
  },
};
