/** `pincer doctor`: what works on this machine, and the fix for each gap. */
import { resolve } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { homeFolder, stateFolder } from '../../../config/state.ts';
import { helpOf, shapeOf } from '../definition.ts';
import { gatewayCommand } from '../gateway.ts';
import { refuseInsideSession } from '../inside.ts';
import { jsonOutput, type Output } from '../output.ts';
import { paint, type Paint } from '../paint.ts';
import { visibleLine } from '../visible.ts';
import { readWords, usage, wantsJson } from '../words.ts';
import type { Check, CheckResult, CheckStatus, Finding, Patient } from './check.ts';
import { clients } from './checks/clients.ts';
import { commands } from './checks/commands.ts';
import { containers } from './checks/containers.ts';
import { daemon, locks, socket } from './checks/daemon.ts';
import { clock, disk, limits } from './checks/machine.ts';
import { node } from './checks/node.ts';
import { database, packages } from './checks/packages.ts';
import { approvals, config } from './checks/rules.ts';
import { sandbox } from './checks/sandbox.ts';
import { path, shell } from './checks/shell.ts';
import { privateFiles, state } from './checks/state.ts';
import { terminal } from './checks/terminal.ts';
import { definition } from './definition.ts';
import { ownProgram } from '../own-program.ts';

const SHAPE = shapeOf(definition);

export function runDoctor(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  return gatewayCommand(argv, output, { help: () => helpOf(definition) }, async () => {
    const { flags, options } = readWords(SHAPE, argv);
    const program = ownProgram();
    if (program === undefined) throw usage(SHAPE, 'the doctor is started from a file');
    if (flags.has('fix')) refuseInsideSession('repairing the state folder');
    const patient = {
      stateDir: stateFolder(),
      folder: resolve(options['workspace'] ?? '.'),
      home: homeFolder(),
      env: process.env,
      program,
      now: Date.now(),
      node: process.versions.node,
    };
    const checks = await examine(CHECKS, patient, flags.has('fix'));
    const healthy = checks.every(({ status }) => status !== 'fail');
    if (json) jsonOutput(output).out(`${JSON.stringify({ ok: healthy, checks }, null, 2)}\n`);
    else output.out(showResults(checks, paint(output.colour)));
    return healthy ? 0 : 1;
  });
}

// Looks at everything, and fixes what may be fixed.

/** What each check says. Files that a check reads with care may be closed by that, so the checks of modes come first. */
export async function examine(
  checks: readonly Check[],
  patient: Patient,
  fixes: boolean,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of checks) {
    const findings = await lookSafely(check, patient);
    results.push(...findings.map((finding) => resultOf(check.id, finding, fixes)));
  }
  return results;
}

/** A check that fails itself is a finding, too: the others still have something to say. */
async function lookSafely(check: Check, patient: Patient): Promise<readonly Finding[]> {
  try {
    return await check.look(patient);
  } catch (error) {
    const { message } = error as Error;
    const fix = error instanceof Fault ? error.hint : undefined;
    return [
      { status: 'fail', message: `this could not be looked at: ${message}`, ...(fix === undefined ? {} : { fix }) },
    ];
  }
}

function resultOf(id: string, { status, message, fix, alert, repair }: Finding, fixes: boolean): CheckResult {
  const result = {
    id,
    status,
    message,
    ...(fix === undefined ? {} : { fix }),
    ...(alert === undefined ? {} : { alert }),
  };
  if (!fixes || repair === undefined) return result;
  try {
    repair();
    return { ...result, status: 'ok', fixed: true };
  } catch (error) {
    return { ...result, message: `${message}; it could not be fixed: ${(error as Error).message}` };
  }
}

// The answer of `pincer doctor` for a person.

const ID = 14;

export function showResults(results: readonly CheckResult[], style: Paint): string {
  const marks: Readonly<Record<CheckStatus, string>> = {
    ok: style.good('ok  '),
    warn: style.warning('warn'),
    fail: style.bad('FAIL'),
    skip: style.quiet('skip'),
  };
  const lines = results.map(({ id, status, message, fix, alert, fixed }) => {
    const text = alert === true ? style.bad(visibleLine(message)) : visibleLine(message);
    const first = `${marks[status]}  ${id.padEnd(ID)}${text}\n`;
    if (fix === undefined || (status === 'ok' && fixed !== true)) return first;
    return `${first}${' '.repeat(6 + ID)}${fixed === true ? style.good('fixed:') : 'fix:'} ${visibleLine(fix)}\n`;
  });
  return `${lines.join('')}\n${summary(results)}\n`;
}

function summary(results: readonly CheckResult[]): string {
  const count = (status: CheckStatus): number => results.filter((result) => result.status === status).length;
  const fixed = results.filter((result) => result.fixed === true).length;
  const fixedText = fixed === 0 ? '' : `, ${fixed} of them fixed now`;
  return `${count('ok')} ok${fixedText}; ${counted(count('warn'), 'warning')}; ${counted(count('fail'), 'failure')}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

// All checks, in the order in which they are told.

export const CHECKS: readonly Check[] = [
  node,
  path,
  packages,
  database,
  shell,
  terminal,
  state,
  privateFiles,
  disk,
  clock,
  config,
  approvals,
  commands,
  daemon,
  socket,
  locks,
  limits,
  sandbox,
  containers,
  clients,
];
