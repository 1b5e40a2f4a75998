/** The environment of a command: a list of names that it inherits, and what the call adds. */
import type { HostName } from '../wire/exec.ts';
import { isAboutDisplay, isInherited, isInheritedInside, whyRefused, whyRefusedInside } from './environment-names.ts';

export interface EnvironmentRequest {
  readonly inherited: Readonly<Record<string, string | undefined>>;
  readonly overrides: Readonly<Record<string, string>>;
  readonly host: HostName;
  /** The command is a shell with code: it may be told how to show things, and no more. */
  readonly shellWrapper?: boolean;
  /** The command runs in a sandbox, and what its variables do to programs stays there: they may be anything but ours. */
  readonly sandboxed?: boolean;
}

export interface Environment {
  readonly env: Readonly<Record<string, string>>;
  /** Overrides that may not be set; one of them refuses the whole command. */
  readonly refused: readonly { readonly name: string; readonly why: string }[];
}

const LONGEST_VALUE = 128 * 1024;

/** The variables of a command; without PATH, which the host adds, unless it runs in a sandbox and the call names one. */
export function environmentOf(request: EnvironmentRequest): Environment {
  const { inherited, overrides, shellWrapper = false, sandboxed = false } = request;
  const inherits = sandboxed ? isInheritedInside : isInherited;
  const env: Record<string, string> = {};
  const refused: { name: string; why: string }[] = [];
  for (const [name, value] of Object.entries(inherited))
    if (value !== undefined && inherits(name) && !value.startsWith('() {')) env[name] = value;
  for (const [name, value] of Object.entries(overrides)) {
    const why = problemOf(name, value, shellWrapper, sandboxed);
    if (why === undefined) env[name] = value;
    else refused.push({ name: shown(name), why });
  }
  return { env, refused };
}

function problemOf(name: string, value: unknown, shellWrapper: boolean, sandboxed: boolean): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return 'a name is letters, digits and _, and does not begin with a digit';
  if (typeof value !== 'string') return 'its value must be a text';
  if (value.includes('\0')) return 'its value holds the character NUL';
  if (value.length > LONGEST_VALUE) return `its value is longer than ${LONGEST_VALUE} characters`;
  if (value.startsWith('() {')) return 'its value is a function of a shell';
  if (shellWrapper && !isAboutDisplay(name)) return 'a shell with code may only be told how to show things';
  return sandboxed ? whyRefusedInside(name) : whyRefused(name);
}

/** A name that is refused may hold anything: it is shown so that nobody takes it for another one. */
function shown(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : JSON.stringify(name);
}
