/** Finds the place of a setting in one file. Indexes of agents count over all layers, and a new agent needs an id. */
import { Fault } from '../../base/fault.ts';
import type { ChangeAt, Edit } from './change.ts';
import { valueAt } from '../load/effective.ts';
import { below, END, formatSettingPath, type Step } from '../schema/setting-path.ts';
import { DEFAULT_AGENT } from '../../wire/actor.ts';
import { isObject } from '../../wire/schema.ts';
import type { ConfigDocument, FileStep } from '../load/source/document.ts';

export interface Target {
  readonly steps: readonly Step[];
  /** The effective configuration, for indexes of agents; undefined where indexes count in this file only. */
  readonly all: unknown;
  readonly edit: Edit;
}

/** Returns undefined for the removal of a setting that is not set. */
export function resolveTarget(
  { steps, all, edit }: Target,
  document: ConfigDocument,
  value: unknown,
): ChangeAt | undefined {
  const { at, id } = stepsIn(steps, all, document, value);
  if (edit.verb === 'unset') {
    // `tools.exec` may be spelled `exec`.
    const spelled = document.has(at) || at[0] !== 'tools' || at[1] !== 'exec' ? at : at.slice(1);
    return document.has(spelled) ? { verb: 'unset', at: spelled } : undefined;
  }
  const [, , index, ...rest] = at;
  if (at[0] !== 'agents' || at[1] !== 'list' || typeof index !== 'number' || document.has(at.slice(0, 3)))
    return { ...edit, at };
  const entry = rest.reduceRight<unknown>(
    (inner, step) => (typeof step === 'number' ? [inner] : { [step]: inner }),
    edit.value,
  );
  return { verb: 'set', at: at.slice(0, 3), names: at, value: withId(entry, id ?? idFor(all ?? value, index)) };
}

function withId(entry: unknown, id: string | undefined): unknown {
  if (!isObject(entry) || entry['id'] !== undefined) return entry;
  if (id === undefined)
    throw new Fault('CONFIG_INVALID', 'a new entry of agents.list needs an id', {
      hint: 'set agents.list[+].id to the name of the agent first',
    });
  return { id, ...entry };
}

/** The first entry is for the default agent. */
function idFor(all: unknown, index: number): string | undefined {
  const list = valueAt(all, ['agents', 'list']);
  const ids = Array.isArray(list) ? list.map((entry) => valueAt(entry, ['id'])) : [];
  return index === 0 && !ids.includes(DEFAULT_AGENT) ? DEFAULT_AGENT : undefined;
}

interface Found {
  readonly at: readonly FileStep[];
  /** The id of the agent, where another layer sets it. */
  readonly id?: string;
}

function stepsIn(steps: readonly Step[], all: unknown, document: ConfigDocument, value: unknown): Found {
  const agent = agentIn(steps, all, value);
  const at: FileStep[] = [];
  for (const [i, step] of steps.entries()) {
    const number = i === 2 && agent !== undefined ? (agent.index ?? END) : step;
    if (typeof number === 'string') at.push(number);
    else {
      const length = document.lengthAt(at) ?? 0;
      if (number !== END && number > length) throw indexTooLarge(at, number, length);
      at.push(number === END ? length : number);
    }
  }
  return agent?.id === undefined ? { at } : { at, id: agent.id };
}

/** Finds the entry of this file for an index over all layers. */
function agentIn(
  steps: readonly Step[],
  all: unknown,
  value: unknown,
): { index: number | undefined; id?: string } | undefined {
  const [agents, list, number] = steps;
  if (agents !== 'agents' || list !== 'list' || typeof number !== 'number' || all === undefined) return undefined;
  const entries = valueAt(all, ['agents', 'list']);
  const known = Array.isArray(entries) ? entries.length : 0;
  if (number > known) throw indexTooLarge(['agents', 'list'], number, known);
  const id = valueAt(all, ['agents', 'list', number, 'id']);
  const own = valueAt(value, ['agents', 'list']);
  if (typeof id !== 'string') return number < known ? undefined : { index: undefined };
  const index = Array.isArray(own) ? own.findIndex((entry) => valueAt(entry, ['id']) === id) : -1;
  return index < 0 ? { index: undefined, id } : { index, id };
}

function indexTooLarge(at: readonly Step[], index: number, length: number): Fault {
  const list = formatSettingPath(at);
  return new Fault(
    'CONFIG_PATH',
    `${below(list, index)} does not exist: ${list} has ${length} ${length === 1 ? 'entry' : 'entries'}`,
    {
      hint: `a new entry is ${below(list, length)} or ${below(list, END)}`,
      details: { path: below(list, index), length },
    },
  );
}
