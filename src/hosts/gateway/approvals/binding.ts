/** What an approval is bound to, and whether it still equals what the person saw. */
import { actorOf } from '../../../wire/actor.ts';
import type { ApprovalBinding } from '../../../wire/approval.ts';
import type { Binary, Identity, Plan } from '../../../wire/policy.ts';
import type { LaunchStage } from '../../process/launch.ts';
import type { Prepared } from '../prepare.ts';
import { scriptsOf } from './scripts.ts';

/** Everything that the run of a prepared request depends on. */
export function bindingOf(prepared: Prepared): ApprovalBinding {
  const { request, context, effective, cwd, cwdIdentity } = prepared;
  return {
    ...actorOf(context.caller),
    host: effective.host,
    command: request.command,
    cwd,
    cwdIdentity,
    env: request.env ?? {},
    ...(context.pathPrepend === undefined ? {} : { pathPrepend: context.pathPrepend }),
    pty: request.pty === true,
    programs: [
      ...stagesOf(prepared).map(({ file, argv, identity }) => ({ real: file, identity: identityText(identity), argv })),
      ...startedWithin(prepared).map(({ real, identity }) => ({ real, identity: identityText(identity), argv: [] })),
    ],
    files: filesOf(prepared),
  };
}

/** Scripts among the arguments, and the files that decide what the command does. */
function filesOf(prepared: Prepared): ApprovalBinding['files'] {
  const scripts = scriptsOf(prepared).map(({ path, identity }) => ({ path, identity: identityText(identity) }));
  const texts = prepared.texts.read().map(({ path, sha256 }) => ({ path, identity: `sha256:${sha256}` }));
  return [...scripts, ...texts.filter(({ path }) => !scripts.some((script) => script.path === path))];
}

/** What differs between the approved request and what would run now, in words; undefined if nothing does. */
export function whatChanged(approved: ApprovalBinding, now: ApprovalBinding): string | undefined {
  if (approved.command !== now.command || approved.agent !== now.agent || approved.host !== now.host)
    return 'the command';
  if (approved.cwd !== now.cwd || approved.cwdIdentity !== now.cwdIdentity)
    return `the working directory ${approved.cwd}`;
  if (!isSameRecord(approved.env, now.env)) return 'the environment';
  if (JSON.stringify(approved.pathPrepend ?? []) !== JSON.stringify(now.pathPrepend ?? [])) return 'PATH';
  if (approved.pty !== now.pty || approved.programs.length !== now.programs.length) return 'the way it runs';
  for (const [i, program] of approved.programs.entries()) {
    const current = now.programs[i];
    if (current?.real !== program.real || current.identity !== program.identity) return `the program ${program.real}`;
    if (JSON.stringify(current.argv) !== JSON.stringify(program.argv)) return 'the arguments';
  }
  const files = new Map(now.files.map(({ path, identity }) => [path, identity]));
  for (const { path, identity } of approved.files) if (files.get(path) !== identity) return `the file ${path}`;
  if (now.files.length !== approved.files.length) return 'the files that it names';
  return undefined;
}

/** The programs that will run: those of the plan, or the shell with the text if the text itself was approved. */
export function stagesOf({ judgement, effective, shell, request }: Prepared): readonly LaunchStage[] {
  if (judgement?.plan !== undefined && effective.security !== 'full')
    return judgement.plan.stages.map(({ argv, binary, env }) => ({
      ...stageOf(binary, argv),
      ...(env === undefined ? {} : { env }),
    }));
  return shell === undefined ? [] : [stageOf(shell, [shell.path, '-c', request.command])];
}

/** The steps of a compound command that runs without a shell. */
export function stepsOf({ judgement, effective }: Pick<Prepared, 'judgement' | 'effective'>): Plan['steps'] {
  return effective.security === 'full' ? undefined : judgement?.plan?.steps;
}

/** Programs that wrappers such as `nice` start; only this check verifies their identity. */
export function startedWithin({ judgement, effective }: Prepared): readonly Binary[] {
  if (effective.security === 'full') return [];
  return (judgement?.plan?.stages ?? []).flatMap(({ starts = [] }) => starts);
}

function stageOf({ real, identity }: Binary, argv: readonly string[]): LaunchStage {
  return { file: real, argv, identity };
}

export function identityText(identity: Identity | undefined): string {
  if (identity === undefined) return '';
  const { dev, ino, size, mtimeNs, ctimeNs = '' } = identity;
  return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

function isSameRecord(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && a[name] === b[name]);
}
