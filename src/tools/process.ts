/** The tool `process`: what can be done with the sessions that `exec` started. */
import { Fault } from '../base/fault.ts';
import type { Gateway } from '../wire/rpc.ts';
import type { SessionInput } from '../wire/session.ts';
import { refuseAborted } from './abort.ts';
import { failingWithStatus, noGateway } from './exec/failing.ts';
import { showEnded, showInput, showList, showLog, showPoll, showScreen } from './process/show.ts';
import { type Tool, type ToolContext, type ToolResult, textResult } from './tool.ts';

type Input = Readonly<Record<string, unknown>>;

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

export const processTool: Tool = {
  name: 'process',
  description:
    'Work with the commands that exec left running. list shows them, poll gives new output, log gives lines by offset and limit; write, send-keys (tmux names: Enter, C-c, Up), submit (Enter) and paste type into one; screen shows what a person would see; resize changes its terminal; kill ends one, clear forgets a finished one, remove does both.',
  input: {
    type: 'object',
    properties: {
      action: { type: 'string', enum: ACTIONS, description: 'What to do' },
      sessionId: { type: 'string', description: 'The session, for everything but list' },
      data: { type: 'string', description: 'For write: the text' },
      keys: { type: 'array', items: { type: 'string' }, description: 'For send-keys: names of keys, in order' },
      hex: { type: 'array', items: { type: 'string' }, description: 'For send-keys: bytes in hexadecimal' },
      literal: { type: 'string', description: 'For send-keys: text as it is, sent first' },
      text: { type: 'string', description: 'For paste: the text' },
      bracketed: { type: 'boolean', description: 'For paste: mark it as pasted (default true)' },
      eof: { type: 'boolean', description: 'For write: end the input after the data' },
      offset: { type: 'integer', minimum: 0, description: 'For log: the first line, from 0' },
      limit: { type: 'integer', minimum: 1, description: 'For log: how many lines' },
      timeout: { type: 'number', minimum: 0, description: 'For poll: milliseconds to wait for output or the end' },
      cols: { type: 'integer', minimum: 1, description: 'For resize' },
      rows: { type: 'integer', minimum: 1, description: 'For resize' },
    },
    required: ['action'],
    additionalProperties: false,
  },
  aliases: [{ keys: ['sessionId', 'session'] }],
  effects: 'runs',
  run: (input, context) => failingWithStatus(() => act(input, context)),
};

async function act(input: Input, { running, signal }: ToolContext): Promise<ToolResult> {
  if (running === undefined) throw noGateway();
  const { caller } = running;
  const action = input['action'] as Action;
  if (action === 'list') return showList(await (await running.gateway()).call('session.list', { caller }));
  const session = { caller, sessionId: sessionOf(input, action) };
  if (!isTyping(action)) return onSession(action, await running.gateway(), session, input, signal);
  const typed = inputOf(action, input);
  return showInput(action, await (await running.gateway()).call('session.input', { ...session, input: typed }));
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
      const waitMs = (input['timeout'] as number | undefined) ?? 0;
      const answer = await gateway.call('session.poll', { ...session, waitMs }, signal);
      // What was drained is shown even so: no later poll gives it again.
      if (answer.output.end === answer.output.start) refuseAborted(signal);
      return showPoll(answer);
    }
    case 'log': {
      const { offset, limit } = input as { offset?: number; limit?: number };
      const range = { ...(offset === undefined ? {} : { offset }), ...(limit === undefined ? {} : { limit }) };
      return showLog(await gateway.call('session.log', { ...session, ...range }));
    }
    case 'kill':
      return kill(gateway, session);
    case 'clear':
      return showEnded('cleared', await gateway.call('session.clear', session));
    case 'remove':
      return remove(gateway, session);
    case 'screen':
      return showScreen(await gateway.call('session.screen', session));
    case 'resize': {
      const { cols, rows } = input as { cols?: number; rows?: number };
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
  return showEnded(before.status === 'running' ? 'killed' : 'had ended already', ended);
}

async function remove(gateway: Gateway, session: OfSession): Promise<ToolResult> {
  const ended = await gateway.call('session.kill', session);
  await gateway.call('session.clear', session);
  return showEnded('removed', ended);
}

function isTyping(action: Action): action is Typing {
  return TYPING.includes(action as Typing);
}

function inputOf(action: Typing, input: Input): SessionInput {
  const { data, eof, keys, hex, literal, text, bracketed } = input as {
    data?: string;
    eof?: boolean;
    keys?: readonly string[];
    hex?: readonly string[];
    literal?: string;
    text?: string;
    bracketed?: boolean;
  };
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
  const { sessionId } = input;
  if (typeof sessionId === 'string' && sessionId !== '') return sessionId;
  throw missing(action, 'sessionId');
}

const EXAMPLES: Readonly<Record<string, string>> = {
  write: '"data": "yes\\n"',
  'send-keys': '"keys": ["C-c"]',
  paste: '"text": "line1\\nline2\\n"',
  resize: '"cols": 120, "rows": 30',
};

function missing(action: string, what: string): Fault {
  const example = `give them as in {"action": "${action}", "sessionId": …, ${EXAMPLES[action] ?? ''}}`;
  return new Fault('PARAM_MISSING', `process: ${action} needs ${what}`, {
    hint:
      what === 'sessionId'
        ? 'exec gave it when the command went on in the background; process list shows them all'
        : example,
    details: { parameter: what },
  });
}
