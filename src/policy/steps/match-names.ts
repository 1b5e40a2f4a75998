/** Expands file name patterns over the names that a lookup gives, as bash does with `LC_ALL=C` and without options. */
import type { Lookup } from '../../wire/policy.ts';
import type { StepWord } from '../../wire/steps.ts';
import type { WorkBudget } from '../work-budget.ts';

const TOO_MANY = 'the patterns of the command have too many names';

/** One element of a pattern: a character, `?`, `*`, or the characters of `[…]`. */
type Token =
  | { readonly is: 'character'; readonly text: string }
  | { readonly is: 'any' }
  | { readonly is: 'many' }
  | { readonly is: 'set'; readonly ranges: readonly (readonly [from: string, to: string])[] };

/** One name of a pattern, with the slashes behind it. */
interface Component {
  readonly tokens: readonly Token[];
  readonly slashes: string;
}

export type Matches = { readonly paths: readonly string[] } | { readonly problem: string };

/** The paths that match, in the order of their bytes; none where nothing matches. */
export function matchNames(word: StepWord, folder: string, lookup: Lookup, budget: WorkBudget): Matches {
  const components = componentsOf(word);
  let paths: readonly string[] = [''];
  let isMatched = false;
  for (const { tokens, slashes } of components) {
    const literal = literalOf(tokens);
    const next: string[] = [];
    for (const path of paths) {
      const place = path.startsWith('/') ? path : `${folder === '/' ? '' : folder}/${path}`;
      if (literal === undefined || (isMatched && literal !== '' && literal !== '.' && literal !== '..')) {
        if (!budget.mayList()) return { problem: TOO_MANY };
        const { names, problem } = lookup.names(place);
        if (problem !== undefined) return { problem };
        const found = literal === undefined ? names.filter((name) => matches(tokens, name)) : [literal];
        for (const name of found) {
          if (literal !== undefined && !names.includes(name)) continue;
          if (slashes !== '' && !lookup.isFolder(`${place}${name}`)) continue;
          next.push(`${path}${name}${slashes}`);
        }
      } else if (!isMatched || lookup.isFolder(`${place}${literal}`)) next.push(`${path}${literal}${slashes}`);
    }
    if (!budget.mayTake(next.length)) return { problem: TOO_MANY };
    isMatched ||= literal === undefined;
    paths = next;
  }
  return { paths: paths.toSorted(inBytes) };
}

function componentsOf(word: StepWord): readonly Component[] {
  const components: { tokens: Token[]; slashes: string }[] = [{ tokens: [], slashes: '' }];
  const add = (token: Token): void => {
    const last = components[components.length - 1]!;
    if (last.slashes === '') last.tokens.push(token);
    else components.push({ tokens: [token], slashes: '' });
  };
  for (const part of word) {
    if (part.kind === 'glob') add(tokenOf(part.text));
    if (part.kind !== 'text') continue;
    for (const text of part.text) {
      if (text === '/') components[components.length - 1]!.slashes += '/';
      else add({ is: 'character', text });
    }
  }
  return components;
}

function tokenOf(pattern: string): Token {
  if (pattern === '*') return { is: 'many' };
  if (pattern === '?') return { is: 'any' };
  const characters = Array.from(pattern.slice(1, -1));
  const ranges: [string, string][] = [];
  for (let at = 0; at < characters.length; at++) {
    const isRange = characters[at + 1] === '-' && at + 2 < characters.length;
    ranges.push([characters[at]!, characters[isRange ? at + 2 : at]!]);
    if (isRange) at += 2;
  }
  return { is: 'set', ranges };
}

/** The name itself where a component has no pattern. */
function literalOf(tokens: readonly Token[]): string | undefined {
  let text = '';
  for (const token of tokens) {
    if (token.is !== 'character') return undefined;
    text += token.text;
  }
  return text;
}

/** Goes back to the last `*` only, so the time is at most the product of both lengths. */
function matches(tokens: readonly Token[], name: string): boolean {
  const [first] = tokens;
  if (name.startsWith('.') && !(first?.is === 'character' && first.text === '.')) return false;
  const characters = Array.from(name);
  let token = 0;
  let star = -1;
  let resume = 0;
  for (let at = 0; at < characters.length; ) {
    const current = tokens[token];
    if (current?.is === 'many') {
      star = token++;
      resume = at;
    } else if (current !== undefined && isOne(current, characters[at]!)) {
      token++;
      at++;
    } else if (star >= 0) {
      token = star + 1;
      at = ++resume;
    } else return false;
  }
  return tokens.slice(token).every(({ is }) => is === 'many');
}

function isOne(token: Token, character: string): boolean {
  if (token.is === 'character') return token.text === character;
  return (
    token.is === 'any' ||
    (token.is === 'set' && token.ranges.some(([from, to]) => from <= character && character <= to))
  );
}

/** The order of code points, which is that of UTF-8 bytes; UTF-16 units have another one. */
function inBytes(left: string, right: string): number {
  const [a, b] = [Array.from(left), Array.from(right)];
  const at = a.findIndex((character, i) => character !== b[i]);
  return at < 0 ? a.length - b.length : at >= b.length ? 1 : a[at]!.codePointAt(0)! - b[at]!.codePointAt(0)!;
}
