/** Decides which files contain secrets, and what agents see of them. */
import { Fault } from '../../base/fault.ts';
import { kindOfFile } from '../../text/kinds/extension.ts';
import type { SecretRules } from '../../wire/tool.ts';
import type { ByteSource } from '../../text/scan/source.ts';
import { hasPrivateKey } from './private-key.ts';
import type { HiddenPart } from './redact.ts';
import { NO_COPIES, SECRET_FILES, TEMPLATES, type SecretRow } from './table.ts';

/** The settings that decide whether an agent sees the values of a file. */
export interface SecretsView {
  /** Show all values. */
  readonly showSecrets?: boolean;
  readonly secrets?: SecretRules;
}

/** Endings of copies and backups. */
const COPY_ENDINGS = ['~', '#', '.bak', '.backup', '.old', '.orig', '.save', '.swp', '.swo', '.tmp'];

/** The extension, or a number or a word such as `old` after `-`, `_` or a blank. */
const ENDING =
  /(?<=.)(?:\.[^.]*|[-_ ](?:\d[\d-]*|old|bak|backup|copy|orig|save|tmp|prod|production|dev|staging|test|local))$/u;

/** Decides by the name only. */
export function isSecretFile(path: string, rules: SecretRules = {}): boolean {
  const rule = operatorRule(path, rules);
  if (rule !== undefined) return rule === 'hide';
  const spellings = spellingsOf(path);
  if (spellings.some((parts) => isSecretName(parts, SECRET_FILES))) return true;
  return originalsOf(spellings[0]!).some((parts) => isSecretName(parts, WITHOUT_EXCEPTIONS));
}

/** Rows with exceptions already list the endings that matter. */
const WITHOUT_EXCEPTIONS = SECRET_FILES.filter(({ except }) => except === undefined);

function isSecretName(parts: readonly string[], rows: readonly SecretRow[]): boolean {
  const is = (pattern: string): boolean => matchesEnd(parts, pattern);
  const name = parts.slice(-1);
  return (
    rows.some(({ pattern, except = [] }) => is(pattern) && !except.some((one) => matchesEnd(name, one))) &&
    !TEMPLATES.some(is)
  );
}

/** The names that a file may be a copy of, with one or more endings removed; none if an ending means another file. */
function originalsOf(parts: readonly string[]): readonly (readonly string[])[] {
  const found: string[] = [];
  let name = parts.at(-1)!;
  for (let ending = ENDING.exec(name)?.[0]; ending !== undefined; ending = ENDING.exec(name)?.[0]) {
    if (NO_COPIES.has(ending.slice(1))) return [];
    name = name.slice(0, -ending.length);
    found.push(name);
  }
  return found.map((one) => [...parts.slice(0, -1), one]);
}

/** `hide` overrides `show`. */
function operatorRule(path: string, { hide = [], show = [] }: SecretRules): 'hide' | 'show' | undefined {
  const spellings = spellingsOf(path);
  const matches = (pattern: string): boolean => spellings.some((parts) => matchesEnd(parts, pattern.toLowerCase()));
  if (hide.some(matches)) return 'hide';
  return show.some(matches) ? 'show' : undefined;
}

/** The parts of a path in lower case: unchanged, and without the affixes of copies. */
function spellingsOf(path: string): readonly (readonly string[])[] {
  const parts = path.toLowerCase().split(/[/\\]/u);
  const own = (parts.pop() ?? '').replace(/^@/u, '');
  let name = own.replace(/^\.?#+/u, '');
  for (let ending = endingOf(name); ending !== undefined; ending = endingOf(name)) name = name.slice(0, -ending.length);
  // A swap file of vim has a dot before the name.
  const names = new Set([own, name, name.replace(/^\./u, '')]);
  return [...names].map((one) => [...parts, one]);
}

function endingOf(name: string): string | undefined {
  return COPY_ENDINGS.find((ending) => name.length > ending.length && name.endsWith(ending));
}

/** Whether a pattern matches as many last parts of a path as it has. */
function matchesEnd(parts: readonly string[], pattern: string): boolean {
  const wanted = pattern.split('/');
  const last = parts.slice(-wanted.length);
  return last.length === wanted.length && wanted.every((one, i) => matchesPattern(last[i]!, one));
}

/** Whether one of the names of a file (the requested one, the real one) hides its values. */
export function hidesName(names: readonly string[], { showSecrets, secrets }: SecretsView): boolean {
  return showSecrets !== true && names.some((name) => isSecretFile(name, secrets));
}

/** Decides by the names of a file and by its content. */
export function hiddenPart(names: readonly string[], content: ByteSource, view: SecretsView): HiddenPart | undefined {
  if (hidesName(names, view)) return 'values';
  return !showsKeys(names, view) && hasPrivateKey(content) ? 'keys' : undefined;
}

/** Whether the operator shows private keys in a file of these names. */
export function showsKeys(names: readonly string[], { showSecrets, secrets = {} }: SecretsView): boolean {
  return showSecrets === true || names.every((name) => operatorRule(name, secrets) === 'show');
}

/** `hiddenPart` as a callback. */
export function hidesFile(view: SecretsView): (names: readonly string[], content: ByteSource) => boolean {
  return (names, content) => hiddenPart(names, content, view) !== undefined;
}

/** A hint how to change a file with hidden values. */
export function wayToChange(name: string, key = 'KEY'): string {
  const byEdit = 'use edit with text that you know';
  return kindOfFile(name) === 'dotenv'
    ? `set one value with path set oc://${slotOf(name)}/${key}, or ${byEdit}`
    : byEdit;
}

/** Quotes a name with slashes or other special characters. */
function slotOf(name: string): string {
  return /^[\w.-]+$/u.test(name) ? name : JSON.stringify(name);
}

/** Removes quotes of the file from a fault. */
export function withoutLines(error: unknown, name: string): unknown {
  if (!(error instanceof Fault)) return error;
  return new Fault(error.code, error.message, {
    hint: `the file contains secrets, so its lines are hidden; ${wayToChange(name)}`,
    details: { path: name },
  });
}

export function secretFile(name: string): Fault {
  return new Fault('READ_SECRET', `${name} contains secrets, so this tool does not show it`, {
    hint: 'read shows its names without values; edit and write can change it',
    details: { path: name },
  });
}

/**
 * Whether a text matches a shell pattern (`*`, `?`, `[abc]`, `[a-z]`, `[!a-z]`). Not a regular expression, because compiling
 * one takes longer than a small read.
 */
export function matchesPattern(text: string, pattern: string): boolean {
  let at = 0;
  let p = 0;
  /** Where to backtrack: the last `*` matches one more character. */
  let star: { readonly p: number; at: number } | undefined;
  while (at < text.length) {
    const step = pattern[p] === '*' ? undefined : oneCharacter(text[at]!, pattern, p);
    if (pattern[p] === '*') {
      star = { p: ++p, at };
    } else if (step !== undefined) {
      p += step;
      at++;
    } else if (star !== undefined) {
      at = ++star.at;
      p = star.p;
    } else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

/** The length of the pattern element that matches this character; undefined if it does not match. */
function oneCharacter(character: string, pattern: string, p: number): number | undefined {
  if (p >= pattern.length) return undefined;
  if (pattern[p] === '?') return 1;
  const end = pattern[p] === '[' ? pattern.indexOf(']', p + 2) : -1;
  if (end < 0) return pattern[p] === character ? 1 : undefined;
  const negated = pattern[p + 1] === '!';
  const inside = inClass(character, pattern.slice(p + (negated ? 2 : 1), end));
  return inside === negated ? undefined : end + 1 - p;
}

function inClass(character: string, members: string): boolean {
  for (let i = 0; i < members.length; i++) {
    const isRange = members[i + 1] === '-' && i + 2 < members.length;
    if (isRange ? members[i]! <= character && character <= members[i + 2]! : members[i] === character) return true;
    if (isRange) i += 2;
  }
  return false;
}
