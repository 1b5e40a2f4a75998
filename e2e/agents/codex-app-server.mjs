// @ts-check
/** Speaks to `codex app-server` as an editor does: calls a tool of ours, and answers what it is asked on the way. */
import { createInterface } from 'node:readline';
import { endGroup, startGroup } from '../support/child.mjs';
import { startAppServer } from './clients/codex.mjs';

const TIMEOUT_MS = 60_000;

/**
 * @typedef {{ action: 'accept' | 'decline' | 'cancel', content?: Record<string, unknown> }} Reply
 * @typedef {{ method: string, params: any }} Question
 */

/**
 * @param {import('../support/place.mjs').Place} place
 * @param {(question: Question) => Reply} reply answers every question of the server
 */
export async function openAppServer(place, reply) {
  const { command, args, env } = startAppServer();
  const child = startGroup(command, args, {
    cwd: place.workspace,
    env: { ...place.env, ...env },
    stdio: 'pipe',
  });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('codex app-server has no pipes');
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => (stderr += text));
  /** @type {Map<number, { done: (value: any) => void, failed: (error: Error) => void }>} */
  const waiting = new Map();
  let last = 0;
  const send = (/** @type {unknown} */ message) => stdin.write(`${JSON.stringify(message)}\n`);
  createInterface({ input: stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    if (message.id === undefined) return;
    if (message.method !== undefined) send({ id: message.id, result: reply(message) });
    else if (message.error) waiting.get(message.id)?.failed(new Error(JSON.stringify(message.error)));
    else waiting.get(message.id)?.done(message.result);
  });
  const failAll = (/** @type {string} */ why) => {
    for (const { failed } of waiting.values()) failed(new Error(`codex app-server ${why}\n${stderr}`));
  };
  const closed = new Promise((done) => {
    child.on('close', (code) => {
      failAll(`ended with exit code ${code}`);
      done(undefined);
    });
  });
  const clock = setTimeout(() => {
    failAll(`was not done within ${TIMEOUT_MS} ms`);
    endGroup(child.pid);
  }, TIMEOUT_MS);

  /** @param {string} method @param {Record<string, unknown>} params @returns {Promise<any>} */
  const request = (method, params) =>
    new Promise((done, failed) => {
      last += 1;
      waiting.set(last, { done, failed });
      send({ id: last, method, params });
    });

  const clientInfo = { name: 'pincer-e2e', title: 'Pincer', version: '1' };
  await request('initialize', { clientInfo, capabilities: { experimentalApi: true } });
  send({ method: 'initialized' });
  const { thread } = await request('thread/start', { cwd: place.workspace });
  return {
    /** @param {string} tool @param {Record<string, unknown>} callArgs */
    call: (tool, callArgs) =>
      request('mcpServer/tool/call', { threadId: thread.id, server: 'pincer', tool, arguments: callArgs }),
    /** Takes its input away, which ends it and its servers; where it does not heed that, all of its group. */
    async close() {
      clearTimeout(clock);
      waiting.clear();
      const patience = setTimeout(() => endGroup(child.pid), 5_000);
      stdin.end();
      await closed;
      clearTimeout(patience);
    },
  };
}
