/** How large the parameters of a call are, found out before anything looks at them one by one. */
import { Fault } from '../base/fault.ts';
import { MOST_MEMBERS } from '../text/json/bounds.ts';

interface InputSize {
  /** Of objects and arrays, at any depth. */
  readonly members: number;
  /** Of names and texts. */
  readonly characters: number;
}

/** Counts until there are more members than a call may have. */
export function inputSize(input: unknown): InputSize {
  let members = 0;
  let characters = 0;
  const waiting: unknown[] = [input];
  while (waiting.length > 0 && members <= MOST_MEMBERS) {
    const value = waiting.pop();
    if (typeof value === 'string') characters += value.length;
    if (typeof value !== 'object' || value === null) continue;
    // Not `Object.entries`, which would make a list of all of them first.
    for (const name in value) {
      if (++members > MOST_MEMBERS) break;
      characters += Array.isArray(value) ? 0 : name.length;
      waiting.push((value as Readonly<Record<string, unknown>>)[name]);
    }
  }
  return { members, characters };
}

/** Refuses parameters with too many members. */
export function refuseTooManyMembers(tool: string, input: unknown): void {
  if (inputSize(input).members > MOST_MEMBERS)
    throw new Fault('PARAM_INVALID', `${tool}: the parameters have more than ${MOST_MEMBERS} members`, {
      hint: 'make several calls of it',
      details: { most: MOST_MEMBERS },
    });
}
