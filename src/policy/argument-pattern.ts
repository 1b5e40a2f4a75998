/** `argPattern`: regular expressions from users, restricted to those that match in bounded time. */
import { WorkBudget } from './work-budget.ts';

const LONGEST_PATTERN = 500;
/** Each optional part doubles the number of ways to match in the worst case. */
const MOST_OPTIONS = 16;
const LONGEST_ARGUMENTS = 10_000;

export type PatternAnswer = 'match' | 'no-match' | 'unanswerable';

interface Compiled {
  readonly expression?: RegExp;
  readonly problem?: string;
  readonly repetitions: number;
  readonly required: readonly string[];
}

const compiled = new Map<string, Compiled>();

/** Whether the pattern matches the whole text; `unanswerable` if it is invalid or exceeds the budget. */
export function matchPattern(pattern: string, text: string, budget = new WorkBudget()): PatternAnswer {
  const { expression, required, repetitions } = compile(pattern);
  if (expression === undefined || text.length > LONGEST_ARGUMENTS) return 'unanswerable';
  if (!required.every((part) => text.includes(part))) return 'no-match';
  if (!budget.mayMatch(stepsOf(text.length, repetitions))) return 'unanswerable';
  return expression.test(text) ? 'match' : 'no-match';
}

export function patternProblem(pattern: string): string | undefined {
  return compile(pattern).problem;
}

function compile(pattern: string): Compiled {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const made = tryToCompile(pattern);
  if (compiled.size > 1000) compiled.clear();
  compiled.set(pattern, made);
  return made;
}

function tryToCompile(pattern: string): Compiled {
  const bad = (problem: string): Compiled => ({ problem, repetitions: 0, required: [] });
  if (pattern.length > LONGEST_PATTERN) return bad(`is longer than ${LONGEST_PATTERN} characters`);
  try {
    // Compile the pattern without the group below first: an unmatched bracket in it would close that group.
    RegExp(pattern, 'u');
  } catch (error) {
    return bad(`is not a regular expression: ${(error as Error).message}`);
  }
  const { problem, repetitions } = survey(pattern);
  if (problem !== undefined) return bad(problem);
  return { expression: new RegExp(`^(?:${pattern})$`, 'u'), repetitions, required: requiredTexts(pattern) };
}

/** The worst case: every way to divide the text among the repetitions. */
function stepsOf(length: number, repetitions: number): number {
  let steps = length;
  for (let i = 2; i <= repetitions; i++) steps *= length / i;
  return steps;
}

/** Counts unbounded repetitions. Refuses exponential time: nested repetitions, alternatives in one, back references. */
function survey(pattern: string): { readonly problem?: string; readonly repetitions: number } {
  const groups: { repeats: boolean; choices: boolean }[] = [{ repeats: false, choices: false }];
  let repetitions = 0;
  let options = 0;
  let closed: { repeats: boolean; choices: boolean } | undefined;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i]!;
    const group = groups[groups.length - 1]!;
    if (char === '\\') {
      if (/[1-9k]/.test(pattern[i + 1] ?? '')) return { problem: 'has a back reference', repetitions };
      i += 1;
      closed = undefined;
    } else if (char === '[') {
      i = endOfClass(pattern, i);
      closed = undefined;
    } else if (char === '(') {
      if (/^\(\?<?[=!]/.test(pattern.slice(i, i + 4))) return { problem: 'looks ahead or behind', repetitions };
      groups.push({ repeats: false, choices: false });
      closed = undefined;
    } else if (char === ')') {
      closed = groups.pop();
      if (closed?.choices === true) options++;
      const outer = groups.at(-1);
      if (closed !== undefined && outer !== undefined) {
        outer.repeats ||= closed.repeats;
        outer.choices ||= closed.choices;
      }
    } else if (char === '|') {
      group.choices = true;
      closed = undefined;
    } else if (char === '*' || char === '+' || char === '{') {
      const bounds = char === '{' ? /^\{(\d+)(,(\d*))?\}/.exec(pattern.slice(i)) : null;
      if (char === '{' && bounds !== null) i += bounds[0].length - 1;
      const most =
        bounds === null
          ? Infinity
          : bounds[2] === undefined
            ? Number(bounds[1])
            : bounds[3] === ''
              ? Infinity
              : Number(bounds[3]);
      if (most > 1 && closed !== undefined && (closed.repeats || closed.choices))
        return { problem: 'repeats a group that contains repetitions or alternatives', repetitions };
      if (most > 100 && most !== Infinity) return { problem: 'repeats more than 100 times', repetitions };
      if (most > 1) {
        group.repeats = true;
        repetitions++;
      }
      closed = undefined;
    } else if (char === '?') {
      // A question mark opens a group type, makes a repetition lazy, or makes a part optional. Only the last one is an alternative.
      if (pattern[i - 1] !== '(' && (closed !== undefined || !/[*+}]/.test(pattern[i - 1] ?? ''))) {
        group.choices = true;
        options++;
      }
      closed = undefined;
    } else closed = undefined;
  }
  if (options > MOST_OPTIONS) return { problem: `has more than ${MOST_OPTIONS} optional parts`, repetitions };
  return repetitions > 8 ? { problem: 'has more than 8 repetitions', repetitions } : { repetitions };
}

function endOfClass(pattern: string, open: number): number {
  for (let i = open + 1; i < pattern.length; i++) {
    if (pattern[i] === '\\') i++;
    else if (pattern[i] === ']') return i;
  }
  return pattern.length;
}

// Literal texts that every match contains. A text without one of them cannot match, so the expression is not run.

/** Characters that end a run of literal characters. */
const SPECIAL = new Set('.^$[](){}*+?|');

/** The literal texts outside groups that every match contains; none where the pattern has alternatives at the top level. */
export function requiredTexts(pattern: string): readonly string[] {
  const texts: string[] = [];
  let run = '';
  let depth = 0;
  const end = (): void => {
    if (run !== '' && depth === 0) texts.push(run);
    run = '';
  };
  const points = [...pattern];
  for (let i = 0; i < points.length; i++) {
    const point = points[i]!;
    if (point === '\\') {
      const escaped = points[++i] ?? '';
      // A letter or digit after a backslash is a class, a code or an assertion.
      if (/[A-Za-z0-9]/.test(escaped)) {
        end();
        if (/[pPuxc]/.test(escaped)) return []; // its code follows
      } else run += escaped;
    } else if (!SPECIAL.has(point)) run += point;
    else {
      if (point === '|' && depth === 0) return [];
      // These make the character before them optional.
      if (point === '*' || point === '?' || point === '{') run = [...run].slice(0, -1).join('');
      end();
      if (point === '[') while (++i < points.length && points[i] !== ']') if (points[i] === '\\') i++;
      if (point === '{') while (++i < points.length && points[i] !== '}');
      if (point === '(') depth++;
      if (point === ')') depth--;
    }
  }
  end();
  return texts;
}
