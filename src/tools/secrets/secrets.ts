/** Files of secrets: which they are, and what is said instead of their lines. */
import { Fault } from '../../base/fault.ts';
import { kindOfFile } from '../../text/kinds/extension.ts';
import type { SecretRules } from '../../wire/secret-rules.ts';
import type { ByteSource } from '../../text/scan/source.ts';
import { hasPrivateKey } from './private-key.ts';
import type { HiddenPart } from './redact.ts';
import { NO_COPIES, SECRET_FILES, TEMPLATES, type SecretRow } from './table.ts';

/** What decides whether an agent sees the values of a file. */
export interface SecretsView {
  /** The operator shows all values. */
  readonly showSecrets?: boolean;
  readonly secrets?: SecretRules;
}

/** What editors and people put behind a name to keep a copy. */
const COPY_ENDINGS = ['~', '#', '.bak', '.backup', '.old', '.orig', '.save', '.swp', '.swo', '.tmp'];

/** What stands behind the last dot, or a number or a word for a copy behind another sign. */
const ENDING =
  /(?<=.)(?:\.[^.]*|[-_ ](?:\d[\d-]*|old|bak|backup|copy|orig|save|tmp|prod|production|dev|staging|test|local))$/u;

/** Whether a file of this name holds secrets. */
export function holdsSecrets(path: string, rules: SecretRules = {}): boolean {
  const said = saidOf(path, rules);
  if (said !== undefined) return said === 'hide';
  const spellings = spellingsOf(path);
  if (spellings.some((parts) => isSecretName(parts, SECRET_FILES))) return true;
  return originalsOf(spellings[0]!).some((parts) => isSecretName(parts, WITHOUT_EXCEPTIONS));
}

/** Rows with exceptions say themselves which endings they mean. */
const WITHOUT_EXCEPTIONS = SECRET_FILES.filter(({ except }) => except === undefined);

function isSecretName(parts: readonly string[], rows: readonly SecretRow[]): boolean {
  const is = (pattern: string): boolean => matchesEnd(parts, pattern);
  const name = parts.slice(-1);
  return (
    rows.some(({ pattern, except = [] }) => is(pattern) && !except.some((one) => matchesEnd(name, one))) &&
    !TEMPLATES.some(is)
  );
}

/** The names that a file may be a copy of: without one or more endings, up to one that makes another file of it. */
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

/** What the operator says of a name; `hide` wins. */
function saidOf(path: string, { hide = [], show = [] }: SecretRules): 'hide' | 'show' | undefined {
  const spellings = spellingsOf(path);
  const matches = (pattern: string): boolean => spellings.some((parts) => matchesEnd(parts, pattern.toLowerCase()));
  if (hide.some(matches)) return 'hide';
  return show.some(matches) ? 'show' : undefined;
}

/** The parts of a path in small letters: as it is, and without what makes a copy of a name. */
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

/** Whether a pattern matches the last parts of a path, as many as it has itself. */
function matchesEnd(parts: readonly string[], pattern: string): boolean {
  const wanted = pattern.split('/');
  const last = parts.slice(-wanted.length);
  return last.length === wanted.length && wanted.every((one, i) => matchesPattern(last[i]!, one));
}

/** Whether the lines of a file are kept from the agent, by the name it asked for or by the file's own. */
export function hidesName(names: readonly string[], { showSecrets, secrets }: SecretsView): boolean {
  return showSecrets !== true && names.some((name) => holdsSecrets(name, secrets));
}

/** What of a file is kept from the agent, by these names of it and by its content. */
export function hiddenPart(names: readonly string[], content: ByteSource, view: SecretsView): HiddenPart | undefined {
  if (hidesName(names, view)) return 'values';
  return !showsKeys(names, view) && hasPrivateKey(content) ? 'keys' : undefined;
}

/** Whether the operator shows private keys in a file of these names. */
export function showsKeys(names: readonly string[], { showSecrets, secrets = {} }: SecretsView): boolean {
  return showSecrets === true || names.every((name) => saidOf(name, secrets) === 'show');
}

/** The same as a question that others can be given. */
export function hidesFile(view: SecretsView): (names: readonly string[], content: ByteSource) => boolean {
  return (names, content) => hiddenPart(names, content, view) !== undefined;
}

/** How an agent changes a file whose values it does not see. */
export function wayToChange(name: string, key = 'KEY'): string {
  const byEdit = 'edit the lines that you want to change, with the text that you know';
  return kindOfFile(name) === 'dotenv'
    ? `change one value with path set oc://${slotOf(name)}/${key}, or ${byEdit}`
    : byEdit;
}

/** A name of several parts is quoted in an address. */
function slotOf(name: string): string {
  return /^[\w.-]+$/u.test(name) ? name : JSON.stringify(name);
}

/** A refusal without what it quotes of the file. */
export function withoutLines(error: unknown, name: string): unknown {
  if (!(error instanceof Fault)) return error;
  return new Fault(error.code, error.message, {
    hint: `the file holds secrets, so its lines are not shown; ${wayToChange(name)}`,
    details: { path: name },
  });
}

/** Refuses to show a part of a file that holds secrets. */
export function secretFile(name: string): Fault {
  return new Fault('READ_SECRET', `${name} holds secrets, so this tool does not show it`, {
    hint: 'read shows its names without the values; edit and write change it',
    details: { path: name },
  });
}

/**
 * Whether a text matches a shell pattern as a whole: `*` any run, `?` one character, `[abc]`, `[a-z]`, `[!a-z]` one of a
 * class. Written out, because compiling regular expressions takes longer than a small read.
 */
export function matchesPattern(text: string, pattern: string): boolean {
  let at = 0;
  let p = 0;
  /** Where to try again with one character more for the last `*`. */
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

/** How long the part of the pattern is that takes this character; undefined when it takes another one. */
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
