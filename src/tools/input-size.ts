/** Bounds the size of a call's parameters before other code iterates over them. */
import { Fault } from '../base/fault.ts';
import { MOST_MEMBERS } from '../text/json/bounds.ts';

interface InputSize {
  /** Members and entries at any depth. */
  readonly members: number;
  /** In names and strings. */
  readonly characters: number;
}

/** Stops counting above the limit of members. */
export function inputSize(input: unknown): InputSize {
  let members = 0;
  let characters = 0;
  const waiting: unknown[] = [input];
  while (waiting.length > 0 && members <= MOST_MEMBERS) {
    const value = waiting.pop();
    if (typeof value === 'string') characters += value.length;
    if (typeof value !== 'object' || value === null) continue;
    // Not `Object.entries`, which would allocate a list of all of them.
    for (const name in value) {
      if (++members > MOST_MEMBERS) break;
      characters += Array.isArray(value) ? 0 : name.length;
      waiting.push((value as Readonly<Record<string, unknown>>)[name]);
    }
  }
  return { members, characters };
}

export function refuseTooManyMembers(tool: string, input: unknown): void {
  if (inputSize(input).members > MOST_MEMBERS)
    throw new Fault('PARAM_INVALID', `${tool}: the parameters have more than ${MOST_MEMBERS} members`, {
      hint: 'split it into several calls',
      details: { most: MOST_MEMBERS },
    });
}
