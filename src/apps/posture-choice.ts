/** The postures that an operator can choose, and the settings that make each of them. */
import { valueAt, withDefaults } from '../config/load/effective.ts';
import { combineLayers, type Layer } from '../config/load/load.ts';
import type { Edit } from '../config/edit/change.ts';
import type { PostureKind } from '../wire/posture.ts';
import type { SandboxSettings } from '../wire/sandbox.ts';

/** A posture by name: `sandboxed`, `judged` or `open`. */
export type PostureName = Exclude<PostureKind, 'denied' | 'failing'>;

/** All of them, the most protective first. */
export const POSTURES: readonly PostureName[] = ['sandboxed', 'judged', 'open'];

/** A posture with the backend that makes its sandboxes. */
export type PostureChoice =
  | { readonly name: 'sandboxed'; readonly backend: SandboxSettings['backend'] }
  | { readonly name: 'judged' | 'open' };

interface PostureEdit {
  readonly steps: readonly string[];
  readonly edit: Edit;
}

const HOST = ['tools', 'exec', 'host'];
const SECURITY = ['tools', 'exec', 'security'];
const MODE = ['sandbox', 'mode'];
const BACKEND = ['sandbox', 'backend'];

/**
 * The edits of the user's file that make a posture. `host` and `sandbox.mode` are always decided together, so that no switch
 * leaves commands on the gateway beside a sandbox for all. A value that holds without the user's file is removed from it,
 * so that `open` adds nothing.
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
      return [edit(HOST, 'gateway'), edit(MODE, 'off'), ...usualBackend(operator, below), ...judging(operator, below)];
    case 'open':
      return [edit(HOST, 'sandbox'), edit(MODE, 'off'), ...usualBackend(operator, below)];
  }
}

/** A backend that is the usual one says nothing without a sandbox; another one is the operator's choice, and stays. */
function usualBackend(operator: unknown, below: unknown): readonly PostureEdit[] {
  const isUsual = valueAt(operator, BACKEND) === valueAt(below, BACKEND);
  return isUsual ? [{ steps: BACKEND, edit: { verb: 'unset' } }] : [];
}

/** With security=full nothing is judged, so that it cannot stay; stricter values do. */
function judging(operator: unknown, below: unknown): readonly PostureEdit[] {
  if (valueAt(operator, SECURITY) !== 'full') return [];
  const isBelow = valueAt(below, SECURITY) === 'full';
  return [{ steps: SECURITY, edit: isBelow ? { verb: 'set', value: 'allowlist' } : { verb: 'unset' } }];
}
