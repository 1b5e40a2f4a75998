/**
 * Turns a request into everything that its run depends on: the folder, the environment, the programs and the judgement. Judging
 * and running use the same value, so what is judged is what runs.
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { decide } from '../../policy/decide.ts';
import { environmentOf } from '../../policy/environment.ts';
import { isInherited, WITHOUT_PAGERS } from '../../policy/environment-names.ts';
import { judgeCall, rulesOutside } from '../../policy/judge.ts';
import { askedWithTerminal } from '../../policy/terminal.ts';
import { OPERATOR_CLIENT } from '../../wire/client-name.ts';
import type { Caller, ExecContext, ExecRequest } from '../../wire/exec.ts';
import type { Binary, EffectivePolicy, Judgement, Lookup, Rules } from '../../wire/policy.ts';
import type { ExecSettings } from '../../wire/settings.ts';
import type { PolicyInputs, RoutedRequest } from '../host.ts';
import { chooseShell, joinPaths, loginPath, minimalPath, isBash } from '../process/programs/shell.ts';
import type { BoundTexts } from '../process/programs/bound-texts.ts';
import { createLookup } from '../process/programs/which.ts';
import { fromHome, outsidePath } from './sandbox-command.ts';
import { isOutsideOf, workspaceFor } from '../process/programs/workspace.ts';
import { callersVariables, isCallersVariable, pathWarnings } from './callers-path.ts';
import { rulesOf, rulesOfShell } from './rules.ts';
import { environmentRefused } from './environment-refused.ts';
import { forOperator } from '../../policy/hint.ts';

/** A request with everything that its run depends on, on any host. */
export interface Ready {
  readonly request: ExecRequest;
  readonly context: ExecContext;
  readonly settings: ExecSettings;
  readonly effective: EffectivePolicy;
  /** As a path on the host. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

/** A request that runs on this machine. */
export interface Prepared extends Ready {
  /** `dev:ino` of the working folder. */
  readonly cwdIdentity: string;
  /** Runs the command where it runs as text. */
  readonly shell: Binary | undefined;
  /** Undefined where nothing is judged: sandboxing is off, and the operator has not chosen this machine as the host. */
  readonly judgement: Judgement | undefined;
  /** The files that the judgement has read for what the command does. */
  readonly texts: BoundTexts;
  /** By which each step is judged again when it starts. */
  readonly rules: Rules;
  /** Why it may not run in the sandbox instead of asking, whatever the rules say. */
  readonly noSandbox?: string;
}

export async function prepare({ request, context, inputs, route }: RoutedRequest): Promise<Prepared> {
  const { settings } = inputs;
  const { hasSandbox, isJudged, effective, warnings } = route;
  const { path: cwd, identity: cwdIdentity } = workingFolder(
    context,
    request.workdir,
    hasSandbox && settings.sandbox.workspaceAccess !== 'none',
  );
  const own = await searchPath(context.environment, settings, isJudged ? 'last' : 'first');
  const path = joinPaths(...(context.pathPrepend ?? []), own);
  const { env: ownVariables, unlisted } = environment(
    request,
    context,
    isJudged ? effective : undefined,
    path,
    settings.env,
  );
  const env = { ...(isJudged ? {} : callersVariables(context)), ...ownVariables };
  const workspace = workspaceFor(context.folder, cwd);
  const lookup = createLookup({ path, cwd, workspace, home: env['HOME'] });
  // The folders of a gateway never decide which shell runs.
  const ownLookup = path === own ? lookup : createLookup({ path: own, cwd, workspace });
  const shell = chooseShell(context.environment['SHELL'], ownLookup, isJudged && rulesOf(inputs).deny.length > 0);
  const { unlistedFolders = [], personOnly = false } = context;
  const isOutside = isOutsideOf(context.folder, cwd);
  const judgement = isJudged
    ? judged(
        {
          request,
          lookup,
          cwd,
          unlisted,
          unlistedFolders,
          personOnly,
          isOutside,
          isBash: isBash(shell),
          hasInput: context.stdin === 'open',
        },
        effective,
        inputs,
      )
    : undefined;
  return {
    request,
    context,
    settings,
    effective,
    cwd,
    cwdIdentity,
    env,
    shell,
    judgement,
    texts: lookup.texts,
    rules: isOutside ? rulesOutside(rulesOf(inputs)) : rulesOf(inputs),
    ...unconfined({ request, unlisted, unlistedFolders, isOutside }),
    warnings: [
      ...warnings,
      ...(isJudged ? [] : withoutEffect(request)),
      ...settings.warnings,
      ...(judgement === undefined ? [] : pathWarnings(judgement, context.environment, cwd)),
    ],
  };
}

/** What a person is asked about in any case: a sandbox without it would run another command. */
function unconfined({
  request,
  unlisted,
  unlistedFolders,
  isOutside,
}: Pick<Judged, 'request' | 'unlisted' | 'unlistedFolders' | 'isOutside'>): Pick<Prepared, 'noSandbox'> {
  if (request.pty === true) return { noSandbox: 'the call wants a terminal' };
  if (unlisted[0] !== undefined) return { noSandbox: `the call sets ${unlisted[0]}` };
  if (unlistedFolders.length > 0) return { noSandbox: 'the call adds folders to PATH' };
  return isOutside ? { noSandbox: 'the working folder is outside the workspace' } : {};
}

/** Refuses a request that is invalid on any host. */
export function checkRequest({ command, env }: ExecRequest): void {
  checkCommand(command);
  if (env !== undefined) checkVariables(env);
}

/** Warns about parameters without effect where nothing is judged. */
export function withoutEffect({ security, ask }: ExecRequest): readonly string[] {
  return Object.entries({ security, ask }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value} has no effect: commands are not judged here`],
  );
}

interface Judged {
  readonly request: ExecRequest;
  readonly lookup: Lookup;
  readonly cwd: string;
  /** Variables of the call that are not known to be harmless. */
  readonly unlisted: readonly string[];
  readonly unlistedFolders: readonly string[];
  readonly personOnly: boolean;
  readonly isOutside: boolean;
  /** Bash runs the command where it runs as text. */
  readonly isBash: boolean;
  /** The caller writes its input. */
  readonly hasInput: boolean;
}

function judged(
  { request, lookup, cwd, personOnly, hasInput, ...call }: Judged,
  effective: EffectivePolicy,
  inputs: PolicyInputs,
): Judgement {
  // With security=full, a shell reads the text, and nothing is judged again.
  const rules = effective.security === 'full' ? rulesOfShell(inputs) : rulesOf(inputs);
  const { command, pty = false } = request;
  const found = judgeCall({ ...call, command, pty, hasInput: !pty && hasInput }, rules, lookup, cwd);
  const judgement = decide(effective, personOnly ? { ...found, explicit: true } : found);
  if (inputs.approvals.broken !== undefined) return ifBroken(judgement, inputs);
  if (judgement.code === 'not-found' && judgement.verdict === 'deny') throw noProgram(judgement);
  return request.pty === true ? askedWithTerminal(judgement, rules, cwd) : judgement;
}

/** Says so where the approvals file cannot be used, which denies everything. */
export function ifBroken(judgement: Judgement, { approvals: { broken } }: Pick<PolicyInputs, 'approvals'>): Judgement {
  if (broken === undefined) return judgement;
  return {
    ...judgement,
    reason: `exec-approvals.json is not used, so everything is denied: ${broken}`,
    ...forOperator('only the operator can fix the file; pincer approvals get shows it'),
  };
}

/** A program that does not exist needs no approval. */
function noProgram({ reason, hint }: Judgement): Fault {
  return new Fault('EXEC_PROGRAM_NOT_FOUND', reason, hint === undefined ? {} : { hint });
}

/** The needed part of a caller's environment; the rest may contain secrets and is neither stored nor passed on. */
export function neededEnvironment(environment: ExecContext['environment']): ExecContext['environment'] {
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => name === 'PATH' || isCallersVariable(name) || name === 'SHELL' || isInherited(name),
    ),
  );
}

/** The longest single argument of the kernel (MAX_ARG_STRLEN), and so the longest text for a shell. */
const LONGEST_COMMAND_BYTES = 128 * 1024 - 1;

function checkCommand(command: string): void {
  if (command.length > LONGEST_COMMAND_BYTES || Buffer.byteLength(command) > LONGEST_COMMAND_BYTES)
    throw new Fault('EXEC_COMMAND_INVALID', `the command is longer than ${LONGEST_COMMAND_BYTES} bytes`, {
      hint: 'put the text into a file that the command reads',
    });
  if (command.trim() === '')
    throw new Fault('EXEC_COMMAND_EMPTY', 'there is no command to run', {
      hint: 'pass command, as in {"command": "ls -la"}',
    });
  if (command.includes('\0'))
    throw new Fault('EXEC_COMMAND_INVALID', 'the command contains a NUL character', { hint: 'leave it out' });
  if (/^\s*\/(?:approve|exec)\b/u.test(command))
    throw new Fault('EXEC_COMMAND_INVALID', `${command.trim().split(/\s/u)[0]} is a message to pincer, not a program`, {
      hint: `a person sends it: pincer say ${JSON.stringify(command.trim())}`,
    });
}

const MOST_VARIABLES = 1000;
/** Names and values. Where the command needs an approval, they are stored, and every list of requests has them. */
const LONGEST_ENVIRONMENT_BYTES = 256 * 1024;

function checkVariables(env: NonNullable<ExecRequest['env']>): void {
  const all = Object.entries(env);
  const bytes = all.reduce((sum, entry) => sum + Buffer.byteLength(entry.join('=')), 0);
  const isTooMany = all.length > MOST_VARIABLES;
  if (!isTooMany && bytes <= LONGEST_ENVIRONMENT_BYTES) return;
  const what = isTooMany ? `${MOST_VARIABLES} variables` : `${LONGEST_ENVIRONMENT_BYTES} bytes`;
  throw new Fault('EXEC_ENV_REFUSED', `env has more than ${what}`, {
    hint: 'put the values into a file that the command reads',
  });
}

/** An agent whose sandbox contains this workspace may use paths of the sandbox also for a command that runs here. */
function workingFolder(
  { folder, environment }: ExecContext,
  workdir: string | undefined,
  isSeenInside: boolean,
): { readonly path: string; readonly identity: string } {
  const named = fromHome(workdir ?? '.', environment['HOME']);
  const path = resolve(folder, isSeenInside ? outsidePath(folder, named) : named);
  try {
    const stat = statSync(path, { bigint: true });
    if (stat.isDirectory()) return { path, identity: `${stat.dev}:${stat.ino}` };
  } catch (error) {
    throw noWorkdir(path, `folder not found: ${path}`, error);
  }
  throw noWorkdir(path, `${path} is not a folder`, undefined);
}

function noWorkdir(path: string, message: string, cause: unknown): Fault {
  return new Fault('EXEC_WORKDIR_MISSING', message, {
    hint: 'create the folder first, or choose another workdir',
    details: { workdir: path },
    cause,
  });
}

/**
 * PATH of a command: the operator's folders, then those of the login shell and the system. For judged commands the caller's own
 * come last: they add programs, but cannot replace a known one.
 */
export async function searchPath(
  caller: Readonly<Record<string, string | undefined>>,
  { pathPrepend }: Pick<ExecSettings, 'pathPrepend'>,
  callers: 'first' | 'last',
): Promise<string> {
  const user = { shell: caller['SHELL'], home: caller['HOME'] ?? '/', user: caller['USER'] };
  const usual = joinPaths(await loginPath(user), minimalPath());
  const all = callers === 'first' ? [caller['PATH'], usual] : [usual, caller['PATH']];
  return joinPaths(pathPrepend.join(':'), ...all);
}

function environment(
  request: ExecRequest,
  context: ExecContext,
  judgedBy: EffectivePolicy | undefined,
  path: string,
  added: readonly string[],
): { readonly env: Readonly<Record<string, string>>; readonly unlisted: readonly string[] } {
  const { env, refused, unlisted } = environmentOf({
    inherited: context.environment,
    overrides: request.env ?? {},
    added,
  });
  if (refused.length > 0) throw environmentRefused(refused);
  const quiet = judgedBy?.security === 'allowlist' ? WITHOUT_PAGERS : {};
  return { env: { ...quiet, ...env, PATH: path, PINCER_SHELL: 'exec', ...clientOf(context.caller) }, unlisted };
}

/** Records what the command does through `pincer` under that client; the operator's name is never passed on. */
function clientOf({ client = OPERATOR_CLIENT }: Caller): Readonly<Record<string, string>> {
  return client === OPERATOR_CLIENT ? {} : { PINCER_CLIENT: client };
}
