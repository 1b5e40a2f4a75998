/** The shape of a case, and short ways to write one. */
import type { Plant } from './ground.ts';
import type { ToolCall } from './program.ts';

/** What stands under a name after the call; null is nothing. Without a mode it is an ordinary file. */
export type Leaf =
  | string
  | Uint8Array
  | null
  | { readonly link: string }
  | { readonly content: string; readonly mode: number };

/** What the call leaves different in the workspace. */
export type Leaves = Readonly<Record<string, Leaf>>;

export interface EscapeCase {
  /** Ends the sentence that starts with `refuses` or `allows`. */
  readonly what: string;
  readonly call: ToolCall;
  readonly plants: readonly Plant[];
  /** A refusal leaves the workspace as it was; `code` is what it must be told as. */
  readonly expect:
    | { readonly refused: true; readonly code?: string }
    | { readonly allowed: true; readonly leaves: Leaves; readonly says?: string };
  /** Where the workspace is named differently than `{WS}`. */
  readonly workspace?: string;
  /** Two names in the workspace that an attacker exchanges while the call is repeated. */
  readonly race?: { readonly exchange: readonly [string, string]; readonly tries: number };
  readonly timeoutMs?: number;
  /** Mounts and device files can be made by root only. */
  readonly needsRoot?: true;
}

export const read = (path: string, more: object = {}): ToolCall => ({ tool: 'read', args: { path, ...more } });
export const write = (path: string, content = 'X\n'): ToolCall => ({ tool: 'write', args: { path, content } });
export const edit = (path: string, oldText = 'INSIDE', newText = 'X'): ToolCall => ({
  tool: 'edit',
  args: { path, oldText, newText },
});
export const patch = (...lines: readonly string[]): ToolCall => ({
  tool: 'apply_patch',
  args: { input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') },
});
export const add = (path: string): ToolCall => patch(`*** Add File: ${path}`, '+X');
export const update = (path: string, from = 'INSIDE'): ToolCall =>
  patch(`*** Update File: ${path}`, '@@', `-${from}`, '+X');
export const remove = (path: string): ToolCall => patch(`*** Delete File: ${path}`);
export const move = (from: string, to: string): ToolCall => patch(`*** Move File: ${from} -> ${to}`);

/** Must be refused: nothing outside is touched or shown, nothing inside has changed. */
export const refuses = (what: string, call: ToolCall, ...plants: readonly Plant[]): EscapeCase => ({
  what,
  call,
  plants,
  expect: { refused: true },
});

/** Must work, and leave exactly these files different in the workspace. */
export const allows = (what: string, call: ToolCall, leaves: Leaves, ...plants: readonly Plant[]): EscapeCase => ({
  what,
  call,
  plants,
  expect: { allowed: true, leaves },
});

/** Must show the inside file's text. */
export const shows = (what: string, call: ToolCall, ...plants: readonly Plant[]): EscapeCase => ({
  what,
  call,
  plants,
  expect: { allowed: true, leaves: {}, says: 'INSIDE' },
});

/** Must also answer with these words. */
export const saying = (says: string, entry: EscapeCase): EscapeCase => ({
  ...entry,
  expect: { allowed: true, leaves: {}, ...entry.expect, says },
});

export const withRoot = (entry: EscapeCase): EscapeCase => ({ ...entry, needsRoot: true });
export const inWorkspace = (workspace: string, entry: EscapeCase): EscapeCase => ({ ...entry, workspace });
export const raced = (exchange: readonly [string, string], tries: number, entry: EscapeCase): EscapeCase => ({
  ...entry,
  race: { exchange, tries },
});
