/** `pincer policy replay`: which commands of the audit log would get another verdict now. */
import { readFileSync } from 'node:fs';
import { messageOf } from '../../../base/message-of.ts';
import { neededEnvironment } from '../../../hosts/gateway/prepare.ts';
import { shownText } from '../../../policy/explain.ts';
import type { Gateway, Methods } from '../../../wire/methods.ts';
import type { NotReplayable, ReplayedChange } from '../../../wire/methods/replay-methods.ts';
import { timeOf } from '../../../wire/query/query-time.ts';
import type { Output } from '../../terminal/output.ts';
import { usage } from '../arguments.ts';
import { shapeOf } from '../definition.ts';
import { withGateway } from '../gateway.ts';
import { definition } from './definition.ts';

const REPLAY = shapeOf(definition, 'replay');
const GET = 'pass an approvals file; pincer approvals get prints the current one';

/** Different changes that are kept in memory; more are counted. */
const MOST_CHANGES = 1_000;

interface Change extends ReplayedChange {
  /** How often the same command has the same change. */
  readonly times: number;
}

export interface ReplayReport {
  readonly since: string;
  readonly replayed: number;
  /** How many commands would get another verdict. */
  readonly changed: number;
  /** Each command once, with its newest time. */
  readonly changes: readonly Change[];
  /** Commands with a change that are not in `changes`. */
  readonly more: number;
  readonly notReplayable: Readonly<Partial<Record<NotReplayable, number>>>;
}

export interface ReplayOptions {
  readonly since: string;
  /** An approvals file. */
  readonly with?: string | undefined;
}

/** Prints the report; 1 where a verdict changes. */
export async function replayPolicy(options: ReplayOptions, json: boolean, output: Output): Promise<number> {
  const report = await withGateway((gateway) => reportOf(gateway, options, Date.now()));
  output.out(json ? `${JSON.stringify(report, null, 2)}\n` : reportText(report));
  return report.changed === 0 ? 0 : 1;
}

export async function reportOf(
  gateway: Pick<Gateway, 'call'>,
  { since, with: file }: ReplayOptions,
  now: number,
): Promise<ReplayReport> {
  const from = timeOf(since, now);
  if (from === undefined)
    throw usage(
      REPLAY,
      `--since ${JSON.stringify(since)} is neither a duration nor a time`,
      'as in --since 7d or --since 2026-01-31T10:00Z',
    );
  const asked = {
    since: from,
    environment: environmentNow(),
    ...(file === undefined ? {} : { document: documentIn(file) }),
  };
  const changes = new Map<string, Change>();
  const notReplayable: Partial<Record<NotReplayable, number>> = {};
  let [replayed, changed, more] = [0, 0, 0];
  let after: number | undefined;
  do {
    const part: Methods['policy.replay']['result'] = await gateway.call('policy.replay', {
      ...asked,
      ...(after === undefined ? {} : { after }),
    });
    replayed += part.replayed;
    for (const [why, count] of Object.entries(part.notReplayable) as [NotReplayable, number][])
      notReplayable[why] = (notReplayable[why] ?? 0) + count;
    for (const change of part.changes) {
      changed += 1;
      const key = JSON.stringify([change.agent, change.cwd, change.command, change.before, change.after]);
      const times = (changes.get(key)?.times ?? 0) + 1;
      if (times > 1 || changes.size < MOST_CHANGES) changes.set(key, { ...change, times });
      else more += 1;
    }
    after = part.next;
  } while (after !== undefined);
  return {
    since: new Date(from).toISOString(),
    replayed,
    changed,
    changes: [...changes.values()],
    more,
    notReplayable,
  };
}

function environmentNow(): Readonly<Record<string, string>> {
  const entries = Object.entries(neededEnvironment(process.env as Readonly<Record<string, string>>));
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function documentIn(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw usage(REPLAY, `--with was not read: ${messageOf(error)}`, GET);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usage(REPLAY, `${file} is not JSON: ${messageOf(error)}`, GET);
  }
}

const VERDICTS = { allow: 'runs', sandbox: 'runs in the sandbox', ask: 'asks', deny: 'denied' } as const;
const WHY_NOT: Readonly<Record<NotReplayable, string>> = {
  masked: 'with masked secrets',
  shortened: 'too long for the audit log',
  variables: 'with variables of the call',
  'no-folder': 'of an earlier version, without a folder',
  'folder-missing': 'in a folder that does not exist any more',
  'on-node': 'on a node',
};

export function reportText({ since, replayed, changed, changes, more, notReplayable }: ReplayReport): string {
  const skipped = Object.entries(notReplayable) as [NotReplayable, number][];
  return [
    `${counted(replayed, 'command')} since ${since} judged again: ${changed === 0 ? 'no verdict changes' : `${counted(changed, 'verdict')} would change`}\n`,
    ...skipped.map(([why, count]) => `not replayable: ${counted(count, 'command')} ${WHY_NOT[why]}\n`),
    ...changes.map(
      ({ before, after, times, agent, cwd, command, code, reason }) =>
        `\n${VERDICTS[before]} → ${VERDICTS[after]}${times === 1 ? '' : `  (${times} times)`}  ${shownText(agent)}  in ${shownText(cwd)}\n` +
        `  ${shownText(command)}\n  ${code}: ${shownText(reason)}\n`,
    ),
    ...(more === 0 ? [] : [`\nand ${counted(more, 'command')} more\n`]),
  ].join('');
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
