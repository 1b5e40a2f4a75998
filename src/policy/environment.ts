/** The environment of a command: inherited variables from a fixed list, and those that the call sets. */
import type { Judgement } from '../wire/policy.ts';
import { isAccepted, isInherited, isInheritedInside, whyRefused, whyRefusedInside } from './environment-names.ts';
import { forAgent, forOperator, type Hint } from './hint.ts';

export interface EnvironmentRequest {
  readonly inherited: Readonly<Record<string, string | undefined>>;
  readonly overrides: Readonly<Record<string, string>>;
  /** Names that the operator adds to the closed list. */
  readonly added?: readonly string[];
  /** In a sandbox, variables may affect programs, because the effect stays inside. */
  readonly sandboxed?: boolean;
}

export interface Environment {
  readonly env: Readonly<Record<string, string>>;
  /** Overrides that may not be set; a single one refuses the whole command. */
  readonly refused: readonly { readonly name: string; readonly why: string }[];
  /** Overrides that are not known to be harmless: a judged command with one of them needs approval. */
  readonly unlisted: readonly string[];
}

const LONGEST_VALUE = 128 * 1024;

/** The variables of a command. PATH is missing, because the host adds it, unless a call for a sandbox sets it. */
export function environmentOf({ inherited, overrides, added, sandboxed = false }: EnvironmentRequest): Environment {
  const inherits = sandboxed ? isInheritedInside : isInherited;
  const env: Record<string, string> = {};
  const refused: { name: string; why: string }[] = [];
  const unlisted: string[] = [];
  for (const [name, value] of Object.entries(inherited))
    if (value !== undefined && inherits(name) && !value.startsWith('() {')) env[name] = value;
  for (const [name, value] of Object.entries(overrides)) {
    const why = problemOf(name, value) ?? (sandboxed ? whyRefusedInside(name) : whyRefused(name));
    if (why !== undefined) {
      refused.push({ name: shown(name), why });
      continue;
    }
    env[name] = value;
    if (!isAccepted(name, value, { ofOperator: added })) unlisted.push(name);
  }
  return { env, refused, unlisted };
}

/** Makes a judgement ask where folders that the operator has not listed precede PATH: an allowed program may start others from them. */
export function withFolders(judgement: Judgement, unlisted: readonly string[], hasDenyRules: boolean): Judgement {
  const [folder] = unlisted;
  return folder === undefined
    ? judgement
    : needingApproval(judgement, hasDenyRules, {
        unknown: `PATH begins with ${folder}, where programs may start others`,
        reason: `the gateway puts ${folder} before PATH: allowed programs may start others from there`,
        also: `the gateway puts ${folder} before PATH`,
        ...forOperator('the operator of this machine can list the folder in node.pathPrefixes'),
      });
}

/** Makes a judgement ask where the call sets variables that are not known to be harmless. */
export function withVariables(judgement: Judgement, unlisted: readonly string[], hasDenyRules: boolean): Judgement {
  const [name] = unlisted;
  return name === undefined
    ? judgement
    : needingApproval(judgement, hasDenyRules, {
        unknown: `the variable ${name} can make programs start others`,
        reason: `the variable ${name} is not known to be harmless: programs may load code or settings through it`,
        ...forAgent('leave it out of env, or have the command approved'),
      });
}

interface Cause extends Hint {
  /** Why deny rules cannot be checked. */
  readonly unknown: string;
  readonly reason: string;
  /** What the person reads after another reason to ask. */
  readonly also?: string;
}

function needingApproval(
  judgement: Judgement,
  hasDenyRules: boolean,
  { unknown: why, also, ...cause }: Cause,
): Judgement {
  if (judgement.code === 'deny-rule') return judgement;
  const unknown = hasDenyRules ? { unknownNames: why } : {};
  const { proposal: _, ...rest } = judgement;
  if (judgement.verdict !== 'allow') {
    const reason =
      also === undefined || judgement.verdict !== 'ask' ? judgement.reason : `${judgement.reason}; ${also}`;
    return { ...rest, ...unknown, reason, explicit: true };
  }
  return {
    ...rest,
    ...unknown,
    verdict: 'ask',
    code: 'environment',
    ...cause,
    explicit: true,
  };
}

function problemOf(name: string, value: unknown): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return 'a name is letters, digits and _, and does not begin with a digit';
  if (typeof value !== 'string') return 'its value must be a string';
  if (value.includes('\0')) return 'its value contains the character NUL';
  if (value.length > LONGEST_VALUE) return `its value is longer than ${LONGEST_VALUE} characters`;
  if (value.startsWith('() {')) return 'its value is a shell function';
  return undefined;
}

/** A refused name may contain any character. */
function shown(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : JSON.stringify(name);
}
