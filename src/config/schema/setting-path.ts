/**
 * The names of settings as `pincer config` accepts them.
 *
 *   path   = step *( "." name | bracket )
 *   step   = name | bracket
 *   name   = characters other than white space and . [ ] " '
 *   bracket = "[" digits "]"               an entry of a list, from 0
 *           | "[+]"                        a new entry at the end of a list
 *           | "[" JSON string "]"          a name with any characters; also in single quotes
 */
import { Fault } from '../../base/fault.ts';
import { below as belowPlace, type Step as PlaceStep } from '../../wire/mismatch.ts';

/** `[+]` */
export const END = Symbol('end of the list');

/** The name of a member, the index of an entry, or the end of a list. */
export type Step = PlaceStep | typeof END;

const NAME = /[^\s.[\]"']+/uy;
const BRACKET = /\[(?:(\d{1,9})|(\+)|("(?:[^"\\]|\\.)*")|'([^']*)')\]/uy;

export function parseSettingPath(typed: string): readonly Step[] {
  const steps: Step[] = [];
  for (let at = 0; at < typed.length; ) {
    const dotted = at > 0 && typed[at] === '.';
    NAME.lastIndex = dotted ? at + 1 : at;
    BRACKET.lastIndex = at;
    const name = at === 0 || dotted ? NAME.exec(typed) : null;
    const bracket = name === null && !dotted ? BRACKET.exec(typed) : null;
    if (name !== null) steps.push(name[0]);
    else if (bracket !== null) steps.push(inBrackets(bracket, typed));
    else throw notAPath(typed, at);
    at = name === null ? BRACKET.lastIndex : NAME.lastIndex;
  }
  if (steps.length === 0) throw notAPath(typed, 0);
  return steps;
}

function inBrackets([, index, end, quoted, plain]: RegExpExecArray, typed: string): Step {
  if (index !== undefined) return Number(index);
  if (end !== undefined) return END;
  if (plain !== undefined) return plain;
  try {
    return JSON.parse(quoted!) as string;
  } catch {
    throw notAPath(typed, typed.indexOf(quoted!));
  }
}

function notAPath(typed: string, at: number): Fault {
  return new Fault(
    'CONFIG_PATH',
    `${JSON.stringify(typed)} is not a setting path: unexpected character at column ${at + 1}`,
    {
      hint: 'write a path as agents.list[0].tools.exec.node, and a name with dots as plugins.entries["a.b"].enabled',
      details: { path: typed, column: at + 1 },
    },
  );
}

export function formatSettingPath(steps: readonly Step[]): string {
  return steps.reduce<string>(below, '');
}

export function below(at: string, step: Step): string {
  return step === END ? `${at}[+]` : belowPlace(at, step);
}
