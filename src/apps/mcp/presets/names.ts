/** The parameter names of each model family, as data for `present.ts` and `accept.ts`. */
import { REPLACES_TEXT, RUNS_COMMAND, SEVERAL_EDITS, USE_PROCESS } from '../../../tools/descriptions.ts';
import type { PropertySchema } from '../../../tools/tool.ts';

/** `minimal` lists as few parameters as possible. */
export const PRESETS = ['claude', 'codex', 'openclaw', 'minimal'] as const;

export type PresetName = (typeof PRESETS)[number];

/** The changes of a preset to one tool. */
export interface Spelling {
  /** The listed parameters, by canonical name, in this order (default: all). */
  readonly shown?: readonly string[];
  /** Canonical name to listed name. */
  readonly names?: Readonly<Record<string, string>>;
  /** Replacements of the tool's own schemas, by canonical name, where the meaning differs. */
  readonly schemas?: Readonly<Record<string, PropertySchema>>;
  /** Replaces the tool's description if that mentions parameters that are not listed. */
  readonly description?: string;
  /** Appended to the description. */
  readonly note?: string;
}

/** A name that is not a name or alias in the tool. */
export interface ForeignName {
  readonly name: string;
  /** The canonical name. Without it the parameter is dropped. */
  readonly means?: string;
  /** Units per unit of the canonical parameter (default: 1). */
  readonly per?: number;
}

/** Names that are accepted with every preset, beside the tools' own aliases. */
export const FOREIGN: Readonly<Record<string, readonly ForeignName[]>> = {
  exec: [
    { name: 'run_in_background', means: 'background' },
    { name: 'yield_time_ms', means: 'yieldMs' },
    { name: 'tty', means: 'pty' },
    { name: 'timeout_ms', means: 'timeout', per: 1000 },
    // These request more permissions or explain the call; to drop them never permits more.
    { name: 'description' },
    { name: 'justification' },
    { name: 'sandbox_permissions' },
    { name: 'prefix_rule' },
    { name: 'dangerouslyDisableSandbox' },
    // Output is always bounded, and the operator decides about login shells.
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

/** Canonical names with another unit in a preset: units of the preset per canonical unit. */
export const UNITS: Readonly<Partial<Record<PresetName, Readonly<Record<string, Readonly<Record<string, number>>>>>>> =
  {
    claude: { exec: { timeout: 1000 } },
  };

/** The snake-case names of both families. */
const SNAKE = {
  read: { lineNumbers: 'line_numbers' },
  write: { dryRun: 'dry_run', expectHash: 'expect_hash' },
  edit: { dryRun: 'dry_run', expectHash: 'expect_hash', replaceAll: 'replace_all' },
  apply_patch: { dryRun: 'dry_run' },
  process: { sessionId: 'session_id' },
  path: { valueJson: 'value_json', dryRun: 'dry_run', expectHash: 'expect_hash' },
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
          description: 'Milliseconds until it is ended (default 1800000)',
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
      note: 'To send input and read the response, write chars and then poll with yield_time_ms.',
    },
    path: { names: SNAKE.path },
  },
  openclaw: {
    read: { shown: ['path', 'offset', 'limit'] },
    write: { shown: ['path', 'content'] },
    edit: {
      shown: ['path', 'oldText', 'newText', 'edits'],
      description: `${REPLACES_TEXT.replace(' (or set replaceAll)', '')} ${SEVERAL_EDITS}`,
    },
    apply_patch: { shown: ['input'] },
  },
  minimal: {
    read: { shown: ['path', 'offset', 'limit'] },
    write: { shown: ['path', 'content'] },
    edit: {
      shown: ['path', 'oldText', 'newText', 'replaceAll'],
      description: REPLACES_TEXT,
    },
    apply_patch: { shown: ['input'] },
    exec: {
      shown: ['command', 'workdir', 'background', 'timeout'],
      description: `${RUNS_COMMAND} After 10 s it continues in the background: ${USE_PROCESS}`,
    },
    process: {
      shown: ['action', 'sessionId', 'data', 'keys', 'timeout'],
      description:
        'Manage running commands of exec. list shows them, poll returns new output, log returns lines; write, send-keys (tmux names: Enter, C-c, Up) and submit (Enter) send input; kill ends one.',
    },
    path: { shown: ['verb', 'path', 'value'] },
    changes: { shown: ['action', 'id'] },
  },
};
