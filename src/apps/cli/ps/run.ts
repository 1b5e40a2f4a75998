/** `pincer ps`: lists the sessions of all agents. */
import { shapeOf } from '../definition.ts';
import { UNKNOWN_CLIENT } from '../../../wire/client-name.ts';
import { runsOn, type SessionInfo } from '../../../wire/session.ts';
import { sessionState } from '../exec/session-end.ts';
import { operatorCaller } from '../gateway.ts';
import { runCommand } from '../run-command.ts';
import type { Output } from '../../terminal/output.ts';
import { printJson } from '../print-json.ts';
import { ifRecorded } from '../if-running.ts';
import { tableText } from '../table.ts';
import { visibleLine } from '../../terminal/visible.ts';
import { readArguments, wantsJson } from '../arguments.ts';
import { definition } from './definition.ts';

const SHAPE = shapeOf(definition);
const HEADINGS = ['ID', 'STATE', 'HOST', 'PID', 'TIME', 'CLIENT', 'AGENT', 'COMMAND'];
const LONGEST_COMMAND = 72;

export function runPs(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  return runCommand(definition, argv, output, async () => {
    const { flags } = readArguments(SHAPE, argv);
    const all =
      (await ifRecorded('sessions', (client) => client.call('session.list', { caller: operatorCaller() }))) ?? [];
    const shown = flags.has('all')
      ? all
      : all.filter(({ status, leftovers }) => status === 'running' || leftovers !== undefined);
    if (json) printJson(output, shown);
    else output.out(sessionTable(shown, Date.now(), output.colour));
    return 0;
  });
}

export function sessionTable(sessions: readonly SessionInfo[], now: number, colour: boolean): string {
  return tableText(
    HEADINGS,
    sessions.map((session) => cells(session, now)),
    colour,
  );
}

function cells(session: SessionInfo, now: number): readonly string[] {
  const command = visibleLine(session.command);
  return [
    session.id,
    sessionState(session),
    hostOf(session),
    pidOf(session),
    durationText((session.endedAt ?? now) - session.startedAt),
    visibleLine(session.client ?? UNKNOWN_CLIENT),
    visibleLine(session.agent),
    command.length > LONGEST_COMMAND ? `${command.slice(0, LONGEST_COMMAND - 1)}…` : command,
  ];
}

/** Where it runs. `host=sandbox` without sandboxing is this machine. */
function hostOf({ sandbox, node }: SessionInfo): string {
  if (node !== undefined) return visibleLine(`node ${node.name}`);
  return runsOn({ sandbox, node });
}

/** A pid in a sandbox or on a node means another process on this machine, so it is not shown. */
function pidOf({ pid, status, sandbox, node, leftovers }: SessionInfo): string {
  if (leftovers !== undefined) return leftovers.map((left) => left.pid).join(',');
  return pid === undefined || status !== 'running' || sandbox === true || node !== undefined ? '-' : String(pid);
}

/** `5s`, `3m05s`, `2h07m`, `4d02h`. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const pair = (big: number, small: number, units: string): string =>
    `${big}${units[0]}${String(small).padStart(2, '0')}${units[1]}`;
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return pair(Math.floor(seconds / 60), seconds % 60, 'ms');
  if (seconds < 86_400) return pair(Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, 'hm');
  return pair(Math.floor(seconds / 86_400), Math.floor(seconds / 3_600) % 24, 'dh');
}
