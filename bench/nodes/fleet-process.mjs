// @ts-check
/** usage: node fleet-process.mjs MODULE: connects nodes, or bare WebSockets, as its parent asks. */
import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';

const parts = await import(process.argv[2] ?? '');
const AT_ONCE = 16;
const LINE = Buffer.from(`${'x'.repeat(199)}\n`);
const EVERY_MS = 200;

/** @param {string} text @param {string} name */
async function connectNode(text, name) {
  const invitation = parts.parseInvitation(text);
  const carrier = await parts.dialWebSocket(invitation.url, { rejectUnauthorized: false });
  const offer = { exec: 'judged', files: 'none', pty: true };
  const hello = { version: '0', name, platform: 'linux', offer, instance: randomUUID() };
  const { welcome } = await parts.greetGateway(carrier, parts.newIdentity(), hello, { invitation });
  parts.openLink(carrier, { epoch: (await welcome).epoch, side: 'opener', serve, methods: parts.NODE_METHODS });
}

/** Prints a line several times a second until it is cancelled. @param {any} call */
async function serve(call) {
  if (call.method === 'node.describe')
    return { path: '/usr/bin:/bin', workspace: '/', store: 's', platform: 'linux', version: '0' };
  if (call.method === 'notice.follow')
    return new Promise((resolve) => call.signal.addEventListener('abort', () => resolve({}), { once: true }));
  if (call.method === 'approval.list') return { pending: [] };
  if (call.method !== 'exec.start') throw new parts.Fault('NODE_METHOD_REFUSED', `no ${call.method}`);
  const session = sessionOf(call.params);
  call.event({ type: 'accepted', session });
  let start = 0;
  const timer = setInterval(() => {
    call.log({ stream: 'out', start, bytes: LINE });
    start += LINE.length;
  }, EVERY_MS);
  await new Promise((resolve) => call.signal.addEventListener('abort', resolve, { once: true }));
  clearInterval(timer);
  return { session: { ...session, status: 'completed', bytes: start, exitCode: 0, endedAt: Date.now() } };
}

/** @param {any} params */
function sessionOf({ request, caller }) {
  return {
    id: randomUUID(),
    agent: caller.agent,
    command: request.command,
    name: 'bench',
    cwd: '/',
    host: 'gateway',
    status: 'running',
    startedAt: Date.now(),
    backgrounded: true,
    stdinOpen: false,
    waitingForInput: false,
    bytes: 0,
    truncated: false,
    tail: '',
    pid: 1,
  };
}

/** @param {number} port */
function connectBare(port) {
  return new Promise((resolve, reject) => {
    const options = {
      rejectUnauthorized: false,
      minVersion: /** @type {const} */ ('TLSv1.3'),
      perMessageDeflate: false,
    };
    new WebSocket(`wss://127.0.0.1:${port}`, options).on('open', resolve).on('error', reject);
  });
}

/** @template T @param {readonly T[]} list @param {(item: T, index: number) => Promise<unknown>} work */
async function some(list, work) {
  let next = 0;
  const one = async () => {
    for (let index = next++; index < list.length; index = next++) await work(/** @type {T} */ (list[index]), index);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

process.on('message', (/** @type {any} */ { invitations, prefix, port, count }) => {
  const done =
    invitations === undefined
      ? some(Array.from({ length: count }), () => connectBare(port))
      : some(invitations, (text, index) => connectNode(text, `${prefix}-${index}`));
  done.then(
    () => process.send?.({ done: true }),
    (error) => process.send?.({ error: String(error) }),
  );
});
