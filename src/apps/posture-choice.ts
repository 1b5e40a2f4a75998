/** The postures that an operator can choose, and the settings of each. */
import { valueAt, withDefaults } from '../config/load/effective.ts';
import { combineLayers, type Layer } from '../config/load/load.ts';
import type { Edit } from '../config/edit/change.ts';
import type { PostureKind } from '../wire/posture.ts';
import type { SandboxSettings } from '../wire/sandbox.ts';

export type PostureName = Exclude<PostureKind, 'denied' | 'failing'>;

/** Ordered from most to least protective. */
export const POSTURES: readonly PostureName[] = ['sandboxed', 'judged', 'open'];

export type PostureChoice =
  | { readonly name: 'sandboxed'; readonly backend: SandboxSettings['backend'] }
  | { readonly name: 'judged' | 'open' };

/** What the posture *judged* adds: profiles allow what reads and what writes in the workspace, and compound commands are judged by step. */
const JUDGED = [
  ['compound', 'steps'],
  ['unprofiled', 'shapes'],
  ['starter', 'workspace'],
] as const;

interface PostureEdit {
  readonly steps: readonly string[];
  readonly edit: Edit;
}

const HOST = ['tools', 'exec', 'host'];
const SECURITY = ['tools', 'exec', 'security'];
const MODE = ['sandbox', 'mode'];
const BACKEND = ['sandbox', 'backend'];

/**
 * The edits of the user's file that set a posture. They always set `host` and `sandbox.mode` together, so that no change
 * leaves commands on the gateway while `sandbox.mode` is `all`. A value that is already in effect without the user's file
 * is removed from it, so that `open` adds nothing.
 */
export function postureEdits(choice: PostureChoice, layers: readonly Layer[]): readonly PostureEdit[] {
  const system = layers.filter(({ layer }) => layer === 'system');
  const below = withDefaults(combineLayers(system).config);
  const operator = combineLayers(layers.filter(({ layer }) => layer === 'system' || layer === 'user')).config;
  const edit = (steps: readonly string[], value: string): PostureEdit =>
    valueAt(below, steps) === value ? { steps, edit: { verb: 'unset' } } : { steps, edit: { verb: 'set', value } };
  switch (choice.name) {
    case 'sandboxed':
      return [
        { steps: BACKEND, edit: { verb: 'set', value: choice.backend } },
        edit(MODE, 'all'),
        edit(HOST, 'sandbox'),
      ];
    case 'judged':
      return [
        edit(HOST, 'gateway'),
        edit(MODE, 'off'),
        ...defaultBackend(operator, below),
        ...judging(operator, below),
        ...JUDGED.map(([name, value]) => edit(['tools', 'exec', name], value)),
      ];
    case 'open':
      return [edit(HOST, 'sandbox'), edit(MODE, 'off'), ...defaultBackend(operator, below), ...withoutJudged(operator)];
  }
}

/** Values that only `judged` needs; others are the operator's choice and stay. */
function withoutJudged(operator: unknown): readonly PostureEdit[] {
  return JUDGED.map(([name, value]) => ({ steps: ['tools', 'exec', name], value }))
    .filter(({ steps, value }) => valueAt(operator, steps) === value)
    .map(({ steps }) => ({ steps, edit: { verb: 'unset' } }));
}

/** Without a sandbox, the default backend is removed from the file; any other backend is the operator's choice and stays. */
function defaultBackend(operator: unknown, below: unknown): readonly PostureEdit[] {
  const isDefault = valueAt(operator, BACKEND) === valueAt(below, BACKEND);
  return isDefault ? [{ steps: BACKEND, edit: { verb: 'unset' } }] : [];
}

/** `security=full` judges no command, so it is replaced; stricter values stay. */
function judging(operator: unknown, below: unknown): readonly PostureEdit[] {
  if (valueAt(operator, SECURITY) !== 'full') return [];
  const isBelow = valueAt(below, SECURITY) === 'full';
  return [{ steps: SECURITY, edit: isBelow ? { verb: 'set', value: 'allowlist' } : { verb: 'unset' } }];
}
