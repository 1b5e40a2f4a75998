/**
 * Applies `.gitignore` to listings. It decides what is listed, never what may be read, so rare syntax (such as named
 * character classes) may differ from git. The package `ignore` is not used: it also checks parent folders, and would omit
 * a folder that a deeper file includes again, and its work cannot be bounded.
 */
import { type Budget, fits } from './wildcard.ts';

const MOST_RULES = 500;
const MOST_LENGTH = 200;

/** One part of a pattern: a star, any character, a set, or a literal. */
type Part = '*' | '?' | { readonly set: string; readonly outside: boolean } | { readonly is: string };

interface Rule {
  readonly shows: boolean;
  readonly foldersOnly: boolean;
  /** One list of parts for each path segment; `**` matches any number of segments. */
  readonly way: readonly ('**' | readonly Part[])[];
}

/** The rules of one folder, relative to it. */
export type Rules = readonly Rule[];

export function readRules(text: string): Rules {
  return text
    .split(/\r?\n/u, MOST_RULES)
    .flatMap((line) => (line.length > MOST_LENGTH || /^(?:#|\s*$)/u.test(line) ? [] : [ruleOf(line)]));
}

/** Whether the rules ignore a path relative to their folder; undefined if no rule matches. */
export function verdictOf(
  rules: Rules,
  path: readonly string[],
  isFolder: boolean,
  budget: Budget,
): 'left-out' | 'shown' | undefined {
  for (let at = rules.length - 1; at >= 0; at--) {
    const rule = rules[at]!;
    if (rule.foldersOnly && !isFolder) continue;
    const isWay = fits(
      rule.way,
      path,
      (step) => step === '**',
      (step, name) => nameFits(step, name, budget),
      budget,
    );
    if (isWay) return rule.shows ? 'shown' : 'left-out';
  }
  return undefined;
}

function nameFits(parts: '**' | readonly Part[], name: string, budget: Budget): boolean {
  if (parts === '**') return true;
  return fits(
    parts,
    [...name],
    (part) => part === '*',
    (part, character) => isOne(part, character),
    budget,
  );
}

function isOne(part: Part, character: string): boolean {
  if (part === '*' || part === '?') return true;
  return 'is' in part ? part.is === character : inSet(part.set, character) !== part.outside;
}

function inSet(set: string, character: string): boolean {
  const members = [...set];
  for (let i = 0; i < members.length; i++) {
    const [from, dash, to] = [members[i]!, members[i + 1], members[i + 2]];
    if (dash === '-' && to !== undefined) {
      if (from <= character && character <= to) return true;
      i += 2;
    } else if (from === character) return true;
  }
  return false;
}

function ruleOf(line: string): Rule {
  const shows = line.startsWith('!');
  const trimmed = (shows ? line.slice(1) : line).replace(/(?<!\\)\s+$/u, '');
  const foldersOnly = trimmed.endsWith('/');
  const pattern = foldersOnly ? trimmed.slice(0, -1) : trimmed;
  const steps = pattern.replace(/^\//u, '').split('/');
  // A pattern with a slash at its start or inside matches the whole path, any other the name.
  const anchored = pattern.includes('/');
  const way = steps.map((step) => (step === '**' ? step : partsOf(step)));
  // At the end it matches everything inside a folder, but not the folder.
  const whole = way.at(-1) === '**' ? [...way, ['*'] as const] : way;
  return { shows, foldersOnly, way: anchored ? whole : ['**', ...whole] };
}

function partsOf(step: string): readonly Part[] {
  return [...step.matchAll(/\\(?<escaped>.)|\[(?<not>[!^]?)(?<set>\]?[^\]]*)\]|(?<plain>.)/gsu)].map(({ groups }) => {
    const { escaped, not, set, plain = '' } = groups ?? {};
    if (escaped !== undefined) return { is: escaped };
    if (set !== undefined) return { set, outside: not !== '' };
    return plain === '*' || plain === '?' ? plain : { is: plain };
  });
}
