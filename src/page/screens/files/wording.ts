/** Fixed words for places and changes. */
import { OPERATOR_CLIENT, UNKNOWN_CLIENT } from '../../../wire/client-name.ts';
import type { Tone } from '../../components/chip.tsx';
import type { IconName } from '../../components/icon.tsx';
import { bytesText } from '../../text/times.ts';
import type { RecordedChange } from './answers.ts';
import type { Place } from './inspect.ts';

/** `string, line 5`, or `3 places` for a pattern. */
export function matchText(places: readonly Place[]): string {
  const [only] = places;
  if (only === undefined) return 'no place';
  if (places.length > 1) return `${places.length} places`;
  const { kind, leafType, descriptor, line } = only.match;
  if (kind === 'root') return `the whole file, ${descriptor ?? 'text'}`;
  return `${leafType ?? descriptor ?? kind}, line ${line}`;
}

/** `agent main · claude-code`. Agents and clients choose their names, so a fixed word precedes them. */
export function authorText({ agent, client = UNKNOWN_CLIENT }: Pick<RecordedChange, 'agent' | 'client'>): string {
  return client === OPERATOR_CLIENT ? 'operator' : `agent ${agent} · ${client}`;
}

interface Label {
  readonly tone: Tone;
  readonly icon: IconName;
  readonly text: string;
}

const STATES: Readonly<Record<RecordedChange['state'], Label>> = {
  done: { tone: 'ok', icon: 'ok', text: 'Applied' },
  undone: { tone: 'muted', icon: 'undo', text: 'Undone' },
  'not-kept': { tone: 'muted', icon: 'off', text: 'Cannot be undone' },
};

export function changeLabel({ state }: Pick<RecordedChange, 'state'>): Label {
  return STATES[state];
}

const ACTIONS = { add: 'new', modify: 'changed', delete: 'removed', move: 'moved' } as const;

type ChangedFile = RecordedChange['files'][number];

/** `changed, 150 B → 151 B` */
export function effectText({ action, bytesBefore, bytesAfter }: ChangedFile): string {
  return `${ACTIONS[action]}, ${bytesText(bytesBefore)} → ${bytesText(bytesAfter)}`;
}

export function pathText({ path, movedTo }: ChangedFile): string {
  return movedTo === undefined ? path : `${path} → ${movedTo}`;
}

/** `3 files`, or the name of the only one. */
export function filesText({ files }: Pick<RecordedChange, 'files'>): string {
  const [only] = files;
  return files.length === 1 && only !== undefined ? pathText(only) : `${files.length} files`;
}

/** What an undo or redo is about: `undoes c1, c2`. */
export function aboutText({ undoes, redoes }: Pick<RecordedChange, 'undoes' | 'redoes'>): string | undefined {
  if (redoes !== undefined) return `redoes ${redoes.join(', ')}`;
  return undoes === undefined ? undefined : `undoes ${undoes.join(', ')}`;
}
