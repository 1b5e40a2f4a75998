/** The tool `process`: manages the sessions that `exec` started. */
import { Fault } from '../base/fault.ts';
import type { Gateway } from '../wire/methods.ts';
import type { SessionInput } from '../wire/session.ts';
import { array, boolean, describe, type Infer, integer, number, object, oneOf, string } from '../wire/schema.ts';
import { refuseAborted } from './abort.ts';
import { withFailedStatus, noGateway } from './exec/failed-status.ts';
import {
  endedResult,
  inputResult,
  listResult,
  logResult,
  pollResult,
  screenResult,
} from './process/session-results.ts';
import { defineTool, textResult, type ToolContext } from './tool.ts';
import type { ToolResult } from '../wire/tool.ts';

const ACTIONS = [
  'list',
  'poll',
  'log',
  'write',
  'send-keys',
  'submit',
  'paste',
  'kill',
  'clear',
  'remove',
  'screen',
  'resize',
] as const;
type Action = (typeof ACTIONS)[number];
const TYPING = ['write', 'send-keys', 'submit', 'paste'] as const;
type Typing = (typeof TYPING)[number];
type Lasting = Exclude<Action, Typing | 'list'>;

const INPUT = object(
  { action: describe(oneOf(ACTIONS), 'What to do.') },
  {
    sessionId: string({ description: 'The session; not for list.' }),
    data: string({ description: 'For write: the text.' }),
    keys: describe(array(string()), 'For send-keys: key names, in order.'),
    hex: describe(array(string()), 'For send-keys: bytes in hexadecimal.'),
    literal: string({ description: 'For send-keys: literal text, sent first.' }),
    text: string({ description: 'For paste: the text.' }),
    bracketed: boolean({ description: 'For paste: bracketed paste (default true).' }),
    eof: boolean({ description: 'For write: close stdin after the data.' }),
    offset: integer({ min: 0, description: 'For log: the first line, from 0.' }),
    limit: integer({ min: 1, description: 'For log: number of lines.' }),
    timeout: number({ min: 0, description: 'For poll: milliseconds to wait for output or the end.' }),
    cols: integer({ min: 1, description: 'For resize.' }),
    rows: integer({ min: 1, description: 'For resize.' }),
  },
);
type Input = Infer<typeof INPUT>;

export const processTool = defineTool({
  name: 'process',
  description:
    'Manage the sessions that exec started. list shows them, poll returns new output, log returns lines by offset and limit; write, send-keys (tmux names: Enter, C-c, Up), submit (Enter) and paste send input; screen shows the terminal screen; resize changes its size; kill ends a session, clear removes an ended one, remove does both.',
  input: INPUT,
  aliases: [{ keys: ['sessionId', 'session'] }],
  effects: 'runs',
  run: (input, context) => withFailedStatus(() => act(input, context)),
});

async function act(input: Input, { running, signal }: ToolContext): Promise<ToolResult> {
  if (running === undefined) throw noGateway();
  const { caller } = running;
  const { action } = input;
  if (action === 'list') return listResult(await (await running.gateway()).call('session.list', { caller }));
  const session = { caller, sessionId: sessionOf(input, action) };
  if (!isTyping(action)) return onSession(action, await running.gateway(), session, input, signal);
  const typed = inputOf(action, input);
  return inputResult(action, await (await running.gateway()).call('session.input', { ...session, input: typed }));
}

type OfSession = Parameters<typeof onSession>[2];

async function onSession(
  action: Lasting,
  gateway: Gateway,
  session: { readonly caller: { readonly agent: string }; readonly sessionId: string },
  input: Input,
  signal: AbortSignal | undefined,
): Promise<ToolResult> {
  switch (action) {
    case 'poll': {
      const waitMs = input.timeout ?? 0;
      const answer = await gateway.call('session.poll', { ...session, waitMs }, signal);
      // Return drained output even after an abort: no later poll returns it again.
      if (answer.output.end === answer.output.start) refuseAborted(signal);
      return pollResult(answer);
    }
    case 'log': {
      const { offset, limit } = input;
      const range = { ...(offset === undefined ? {} : { offset }), ...(limit === undefined ? {} : { limit }) };
      return logResult(await gateway.call('session.log', { ...session, ...range }));
    }
    case 'kill':
      return kill(gateway, session);
    case 'clear':
      return endedResult('cleared', await gateway.call('session.clear', session));
    case 'remove':
      return remove(gateway, session);
    case 'screen':
      return screenResult(await gateway.call('session.screen', session));
    case 'resize': {
      const { cols, rows } = input;
      if (cols === undefined || rows === undefined) throw missing('resize', 'cols and rows');
      const info = await gateway.call('session.resize', { ...session, size: { cols, rows } });
      return textResult(`Session ${info.id} is now ${cols} columns by ${rows} rows.`, {
        status: info.status,
        sessionId: info.id,
        cols,
        rows,
      });
    }
  }
}

async function kill(gateway: Gateway, session: OfSession): Promise<ToolResult> {
  const before = await gateway.call('session.wait', { ...session, waitMs: 0 });
  const ended = await gateway.call('session.kill', session);
  return endedResult(before.status === 'running' ? 'killed' : 'had already ended', ended);
}

async function remove(gateway: Gateway, session: OfSession): Promise<ToolResult> {
  const ended = await gateway.call('session.kill', session);
  await gateway.call('session.clear', session);
  return endedResult('removed', ended);
}

function isTyping(action: Action): action is Typing {
  return TYPING.includes(action as Typing);
}

function inputOf(action: Typing, { data, eof, keys, hex, literal, text, bracketed }: Input): SessionInput {
  switch (action) {
    case 'write':
      if (data === undefined && eof !== true) throw missing(action, 'data or eof');
      return { kind: 'write', data: data ?? '', ...(eof === undefined ? {} : { eof }) };
    case 'send-keys':
      if (keys === undefined && hex === undefined && literal === undefined)
        throw missing(action, 'keys, hex or literal');
      return {
        kind: 'keys',
        ...(keys === undefined ? {} : { keys }),
        ...(hex === undefined ? {} : { hex }),
        ...(literal === undefined ? {} : { literal }),
      };
    case 'submit':
      return { kind: 'submit' };
    case 'paste':
      if (text === undefined) throw missing(action, 'text');
      return { kind: 'paste', text, ...(bracketed === undefined ? {} : { bracketed }) };
  }
}

function sessionOf(input: Input, action: string): string {
  if (input.sessionId) return input.sessionId;
  throw missing(action, 'sessionId');
}

const EXAMPLES: Readonly<Record<string, string>> = {
  write: '"data": "yes\\n"',
  'send-keys': '"keys": ["C-c"]',
  paste: '"text": "line1\\nline2\\n"',
  resize: '"cols": 120, "rows": 30',
};

function missing(action: string, what: string): Fault {
  const example = `for example {"action": "${action}", "sessionId": …, ${EXAMPLES[action] ?? ''}}`;
  return new Fault('PARAM_MISSING', `process: ${action} needs ${what}`, {
    hint:
      what === 'sessionId'
        ? 'exec returns it when a command continues in the background; process list shows all sessions'
        : example,
    details: { parameter: what },
  });
}
