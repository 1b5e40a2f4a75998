/** `pincer approvals watch`: shows pending approval requests live, and answers them by single keys on a terminal. */
import { actorText } from '../../../wire/actor.ts';
import type { ApprovalInfo } from '../../../wire/approval.ts';
import type { Notice } from '../../../wire/notice.ts';
import { namedRisk } from '../../../wire/questions/risk-order.ts';
import { jsonOutput, type Output, unfiltered } from '../../terminal/output.ts';
import { paint } from '../../terminal/paint.ts';
import type { Gateway } from '../../../wire/methods.ts';
import { MOST_LISTED_BYTES } from '../gateway.ts';
import { reportNotice } from '../failure.ts';
import { answerText, storedText } from './answer.ts';
import { createNotifier, type Notifier } from './notify.ts';
import type { ApprovalsIo } from './process-io.ts';
import type { Keyboard } from './keyboard.ts';
import { approvalBlock, showsWholeValues, spanText } from './approval-text.ts';
import { INITIAL_STATE, onKey, type WatchState, withPending } from './watch-state.ts';
import { escaped } from './escape-text.ts';

interface Watch {
  readonly output: Output;
  readonly json: boolean;
  readonly io: ApprovalsIo;
  readonly signal?: AbortSignal;
  /** The command of `--notify`. */
  readonly notify?: string;
}

const SCREEN_ON = '\u001b[?1049h\u001b[?25l';
const SCREEN_OFF = '\u001b[?25h\u001b[?1049l';
const TICK_MS = 1000;
/** The newest requests; older ones appear as these are answered. */
const WATCHED = { state: 'pending', limit: 500, maxBytes: MOST_LISTED_BYTES } as const;
/** Notices after which the list of pending requests may have changed. */
const CHANGES: ReadonlySet<Notice['kind']> = new Set(['approval-requested', 'approval-resolved', 'exec-denied']);

export async function watchApprovals(watch: Watch): Promise<number> {
  const { io, json } = watch;
  const gateway = await io.connect();
  try {
    if (!json && io.keyboard !== undefined) await answerByKeys(watch, gateway, io.keyboard);
    else await printEvents(watch, gateway);
    return 0;
  } finally {
    gateway.close?.();
  }
}

/** Prints each request when it arrives and when it is resolved. */
async function printEvents({ output, json, io, signal, notify }: Watch, gateway: Gateway): Promise<void> {
  const waiting = new Map<string, ApprovalInfo>();
  const notifier = notifierFor(notify, gateway, (text) => reportNotice(text, json, output));
  const print = (event: 'pending' | 'resolved', approval: ApprovalInfo): void => {
    if (json) jsonOutput(output).out(`${JSON.stringify({ event, approval })}\n`);
    else output.out(approvalBlock(approval, io.now(), paint(output.colour)));
  };
  await follow(gateway, signal, async () => {
    const pending = await gateway.call('approval.list', WATCHED);
    for (const approval of pending) {
      if (!waiting.has(approval.id)) print('pending', approval);
      waiting.set(approval.id, approval);
    }
    notifier?.pending(pending);
    const listed = new Set(pending.map(({ id }) => id));
    for (const id of [...waiting.keys()].filter((one) => !listed.has(one))) {
      const approval = await gateway.call('approval.show', { id });
      if (approval.state === 'pending') continue; // still pending, but beyond the limit of the list
      waiting.delete(id);
      print('resolved', approval);
    }
  });
}

/** Undefined without `--notify`. What its command prints on failure is text of others. */
function notifierFor(
  command: string | undefined,
  gateway: Gateway,
  failed: (text: string) => void,
): Notifier | undefined {
  const count = (): Promise<number> => gateway.call('approval.count', { state: 'pending' });
  return command === undefined
    ? undefined
    : createNotifier({ command, count, failed: (text) => failed(escaped(text)) });
}

async function answerByKeys(
  { output, io, signal, notify }: Watch,
  gateway: Gateway,
  keyboard: Keyboard,
): Promise<void> {
  let state: WatchState = INITIAL_STATE;
  let failure: { readonly error: unknown } | undefined;
  const left = new AbortController();
  const leave = (): void => left.abort();
  const fail = (error: unknown): void => {
    failure ??= { error };
    leave();
  };
  let isLoaded = false;
  const draw = (): void => {
    if (!left.signal.aborted && isLoaded) unfiltered(output).out(screenText(state, io, output.colour).text);
  };
  const notifier = notifierFor(notify, gateway, (message) => {
    state = { ...state, message };
    draw();
  });
  let latest = 0;
  const refresh = async (): Promise<void> => {
    const turn = ++latest;
    const pending = await gateway.call('approval.list', WATCHED);
    // A later refresh has overtaken this one.
    if (turn !== latest) return;
    state = withPending(state, pending, io.now());
    isLoaded = true;
    notifier?.pending(pending);
    draw();
  };
  const press = async (key: string): Promise<void> => {
    const { isWhole } = screenText(state, io, false);
    const step = onKey(state, key, io.now(), isWhole);
    state = step.state;
    if (step.leave) return leave();
    if (step.answer !== undefined) {
      const answer = await gateway.call('approval.resolve', { ...step.answer, by: io.by });
      state = { ...state, message: answerText(answer, false).trimEnd() };
      await refresh();
    } else draw();
  };
  signal?.addEventListener('abort', leave);
  unfiltered(output).out(SCREEN_ON);
  const timer = setInterval(draw, TICK_MS);
  // One key at a time: the second key must see the result of the first.
  let turn = Promise.resolve();
  const keys = keyboard.listen((key) => {
    turn = turn.then(() => press(key)).catch(fail);
  });
  try {
    await follow(gateway, left.signal, refresh);
    await turn;
  } finally {
    clearInterval(timer);
    keys.stop();
    signal?.removeEventListener('abort', leave);
    unfiltered(output).out(SCREEN_OFF);
  }
  if (failure !== undefined) throw failure.error;
}

/** Calls `refresh` immediately and after every relevant notice, never concurrently. */
async function follow(gateway: Gateway, signal: AbortSignal | undefined, refresh: () => Promise<void>): Promise<void> {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  if (signal?.aborted === true) return;
  signal?.addEventListener('abort', end);
  let isStale = true;
  let wake: (() => void) | undefined;
  const markStale = (): void => {
    isStale = true;
    wake?.();
  };
  const onNotice = ({ kind }: Notice): void => {
    if (CHANGES.has(kind)) markStale();
  };
  const notices = gateway.notices({}, onNotice, ended.signal).finally(() => {
    end();
    wake?.();
  });
  // Awaited below; if a refresh fails first, that failure is reported.
  notices.catch(() => undefined);
  try {
    while (!ended.signal.aborted) {
      if (isStale) {
        isStale = false;
        await refresh();
      } else
        await new Promise<void>((done) => {
          wake = done;
          if (isStale || ended.signal.aborted) done();
          else ended.signal.addEventListener('abort', () => done(), { once: true });
        });
    }
    await notices;
  } finally {
    end();
    signal?.removeEventListener('abort', end);
  }
}

/** The screen, and whether the selected request fits it: a request that is not fully visible cannot be allowed. */
export function screenText(
  { pending, chosen, message }: WatchState,
  io: Pick<ApprovalsIo, 'now' | 'size'>,
  colour: boolean,
): { readonly text: string; readonly isWhole: boolean } {
  const approval = pending.find(({ id }) => id === chosen);
  const others = pending.filter((one) => one !== approval);
  const block = (tint: boolean): string =>
    approval === undefined
      ? 'no pending approval requests\n'
      : approvalBlock(approval, io.now(), paint(tint)) + storedText('always would store', approval);
  const { cols, rows } = io.size();
  const head = `pincer approvals: ${pending.length} pending\n\n`;
  const foot = `\n${message === '' ? '' : `${message}\n`}[a] allow  [A] always  [d] deny  [j k] select  [q] quit\n`;
  const used = rowsOf(head, cols) + rowsOf(block(false), cols) + rowsOf(foot, cols);
  const room = Math.max(0, rows - used - 3);
  const rest = others.slice(0, room).map((one) => otherLine(one, io.now(), cols - 1));
  const more = others.length > rest.length ? [`and ${others.length - rest.length} more`] : [];
  const body = head + block(colour) + foot + [...rest, ...more].map((line) => `${line}\n`).join('');
  // A terminal in raw mode needs the carriage return.
  const text = `\u001b[H\u001b[2J${body.trimEnd().replaceAll('\n', '\r\n')}`;
  return { text, isWhole: used <= rows && (approval === undefined || showsWholeValues(approval)) };
}

/** A request that is not selected, on one line. */
function otherLine(approval: ApprovalInfo, now: number, width: number): string {
  const { slug, expiresAt, binding, judgement, waiting } = approval;
  const [risk, calls] = [namedRisk(judgement), waiting === undefined ? undefined : `${waiting} calls`];
  const about = [risk, calls].filter((text) => text !== undefined).map((text) => `${text}  `);
  const line = [
    ...`${slug}  ${spanText(expiresAt - now)} left  ${escaped(actorText(binding))}  ${about.join('')}${escaped(binding.command)}`,
  ];
  let used = 0;
  const fits = line.findIndex((char) => (used += widthOf(char)) > width - 1);
  return fits < 0 ? line.join('') : `${line.slice(0, fits).join('')}…`;
}

function widthOf(char: string): number {
  return char > '\u10ff' ? 2 : 1;
}

function rowsOf(text: string, cols: number): number {
  const wide = (line: string): number => [...line].reduce((sum, char) => sum + widthOf(char), 0);
  return text
    .split('\n')
    .slice(0, -1)
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(wide(line) / cols)), 0);
}
