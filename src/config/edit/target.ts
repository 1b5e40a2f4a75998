/** From the name of a setting to its place in one file: numbers of agents count over all layers, and a new agent needs an id. */
import { Fault } from '../../base/fault.ts';
import type { ChangeAt, Edit } from './change.ts';
import { valueAt } from '../load/effective.ts';
import { below, END, formatSettingPath, type Step } from '../schema/setting-path.ts';
import { isObject } from '../../wire/schema.ts';
import type { ConfigDocument, FileStep } from '../load/source/document.ts';

/** The agent that an entry without an id is for, where nobody has one. */
const FIRST_AGENT = 'main';

export interface Target {
  readonly steps: readonly Step[];
  /** What holds over all layers, as it is shown to the one who counts; undefined where only the file itself counts. */
  readonly all: unknown;
  readonly edit: Edit;
}

/** The edit with its steps in this file; undefined when it would take out what is not there. */
export function targetIn({ steps, all, edit }: Target, document: ConfigDocument, value: unknown): ChangeAt | undefined {
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

/** The first agent that is named is the one that works where nobody says which. */
function idFor(all: unknown, index: number): string | undefined {
  const list = valueAt(all, ['agents', 'list']);
  const ids = Array.isArray(list) ? list.map((entry) => valueAt(entry, ['id'])) : [];
  return index === 0 && !ids.includes(FIRST_AGENT) ? FIRST_AGENT : undefined;
}

interface Found {
  readonly at: readonly FileStep[];
  /** The id of the agent that is meant, where another layer has named it. */
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
      if (number !== END && number > length) throw tooFar(at, number, length);
      at.push(number === END ? length : number);
    }
  }
  return agent?.id === undefined ? { at } : { at, id: agent.id };
}

/** The entry of this file for the agent that a number over all layers means. */
function agentIn(
  steps: readonly Step[],
  all: unknown,
  value: unknown,
): { index: number | undefined; id?: string } | undefined {
  const [agents, list, number] = steps;
  if (agents !== 'agents' || list !== 'list' || typeof number !== 'number' || all === undefined) return undefined;
  const entries = valueAt(all, ['agents', 'list']);
  const known = Array.isArray(entries) ? entries.length : 0;
  if (number > known) throw tooFar(['agents', 'list'], number, known);
  const id = valueAt(all, ['agents', 'list', number, 'id']);
  const own = valueAt(value, ['agents', 'list']);
  if (typeof id !== 'string') return number < known ? undefined : { index: undefined };
  const index = Array.isArray(own) ? own.findIndex((entry) => valueAt(entry, ['id']) === id) : -1;
  return index < 0 ? { index: undefined, id } : { index, id };
}

function tooFar(at: readonly Step[], index: number, length: number): Fault {
  const list = formatSettingPath(at);
  return new Fault(
    'CONFIG_PATH',
    `${list} has ${length} ${length === 1 ? 'entry' : 'entries'}, so there is no ${below(list, index)}`,
    {
      hint: `the next one is ${below(list, length)} or ${below(list, END)}`,
      details: { path: below(list, index), length },
    },
  );
}
