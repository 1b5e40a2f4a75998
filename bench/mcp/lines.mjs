// @ts-check
/** A client that is nothing but lines of JSON, so that what is measured is the server. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** @typedef {{ command: readonly string[], cwd: string, environment: Record<string, string> }} Program */

const HELLO = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '0' },
};

/** What a request of the 2026 era carries in place of a handshake. */
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Starts a server. @param {Program} program */
export function talkTo({ command: [program = '', ...args], cwd, environment }) {
  const child = spawn(program, args, { cwd, env: environment, stdio: ['pipe', 'pipe', 'ignore'] });
  /** @type {Map<number, { resolve: (answer: any) => void, reject: (error: Error) => void }>} */
  const waiting = new Map();
  let last = 0;
  let rest = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (/** @type {string} */ piece) => {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const answer = JSON.parse(line);
      waiting.get(answer.id)?.resolve(answer);
      waiting.delete(answer.id);
    }
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.once('close', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${program} ended with ${code}`));
  });
  const say = (/** @type {object} */ message) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ask = (/** @type {string} */ method, /** @type {object} */ params) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve, reject });
      say({ id, method, params });
    });
  return {
    ask,
    /** The handshake of the 2025 era, without waiting for its answer. */
    greet() {
      const greeted = ask('initialize', HELLO);
      say({ method: 'notifications/initialized' });
      return greeted;
    },
    /** A request of the 2026 era. @param {string} method @param {object} params */
    askModern: (method, params) => ask(method, { ...params, _meta: ENVELOPE }),
    /** The processor time that the server has taken so far, in milliseconds; undefined where the system does not say. */
    processorTime() {
      if (process.platform !== 'linux') return undefined;
      const stat = readFileSync(`/proc/${child.pid}/stat`, 'latin1');
      const [user, system] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 13);
      return (Number(user) + Number(system)) * 10;
    },
    async leave() {
      child.stdin.end();
      await ended;
    },
  };
}
