// @ts-check
/**
 * A model on loopback that follows a script, for real agents without a network. It speaks the four wire formats that they
 * use; each lives in a file of its own under `formats/`. How many results of tools a conversation holds already decides
 * which step of the script comes next, so it needs no memory of its own and a repeated request gets the same answer.
 */
import { createServer } from 'node:http';
import { closeServer, listenOnLoopback } from '../support/loopback.mjs';
import { anthropic } from './formats/anthropic.mjs';
import { chat } from './formats/chat.mjs';
import { gemini } from './formats/gemini.mjs';
import { responses } from './formats/responses.mjs';

/**
 * @typedef {{
 *   tool: string, own?: true, unlisted?: OfferedTool, args: Record<string, unknown>, ready?: () => Promise<unknown>,
 * }} Step a tool of ours, or one of the agent's own; `unlisted` is its name where the agent offers it only after a search; the model
 *   makes the call when `ready` has resolved
 * @typedef {{ name: string, namespace?: string }} OfferedTool
 * @typedef {{ call: { tool: OfferedTool, args: Record<string, unknown>, number: number } } | { text: string }} Turn
 * @typedef {{ offered: OfferedTool[], results: unknown[], conversation: boolean }} Asked
 * @typedef {{
 *   matches: (path: string) => boolean,
 *   read: (body: any) => Asked,
 *   answer: (turn: Turn, body: any, path: string) => Reply,
 * }} Format
 * @typedef {{ stream: { event?: string, data: unknown }[] } | { json: unknown }} Reply
 * @typedef {{ url: string, offered: string[], results: unknown[], unknown: string[], close: () => Promise<void> }} Model
 */

/** @type {readonly Format[]} */
const FORMATS = [anthropic, responses, chat, gemini];

/**
 * @param {readonly Step[]} script the calls that it makes, one after the other; then it says the last text
 * @param {string} lastText
 * @returns {Promise<Model>}
 */
export async function startModel(script, lastText) {
  /** @type {Model['results']} */
  const results = [];
  /** @type {Set<string>} */
  const offered = new Set();
  /** @type {string[]} */
  const unknown = [];
  /** @type {Map<number, Promise<unknown>>} */
  const waits = new Map();
  /** A repeated request waits for the same. @param {number} index */
  const readyFor = (index) => {
    const ready = waits.get(index) ?? Promise.resolve(script[index]?.ready?.());
    waits.set(index, ready);
    return ready;
  };
  const server = createServer((request, response) => {
    readBody(request)
      .then(async (body) => {
        const path = (request.url ?? '/').split('?')[0] ?? '/';
        const format = FORMATS.find((one) => one.matches(path));
        if (format === undefined) {
          unknown.push(`${request.method} ${path}`);
          response.writeHead(path.endsWith('/models') ? 200 : 404, { 'content-type': 'application/json' });
          response.end(path.endsWith('/models') ? '{"object":"list","data":[],"models":[]}' : '{}');
          return;
        }
        const asked = format.read(body);
        for (const tool of asked.offered) offered.add(fullName(tool));
        asked.results.forEach((result, index) => {
          results[index] ??= result;
        });
        const turn = turnFor(asked, script, lastText);
        if ('call' in turn) await readyFor(turn.call.number - 1);
        send(response, format.answer(turn, body, path));
      })
      .catch((error) => {
        unknown.push(String(error));
        response.writeHead(400).end();
      });
  });
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}`,
    results,
    unknown,
    get offered() {
      return [...offered].sort();
    },
    close: () => closeServer(server),
  };
}

/** @param {OfferedTool} tool */
function fullName({ namespace, name }) {
  return namespace === undefined ? name : `${namespace}.${name}`;
}

/** @param {Asked} asked @param {readonly Step[]} script @param {string} lastText @returns {Turn} */
function turnFor({ offered, results, conversation }, script, lastText) {
  const step = script[results.length];
  if (!conversation || step === undefined) return { text: lastText };
  const wanted = (/** @type {OfferedTool} */ one) => (step.own ? fullName(one) === step.tool : isOurs(one, step.tool));
  const tool = offered.find(wanted) ?? step.unlisted;
  // A request beside the conversation, such as for a title, offers no tools.
  return tool === undefined || offered.length === 0
    ? { text: lastText }
    : { call: { tool, args: step.args, number: results.length + 1 } };
}

/** Each client puts the server's name in front: `mcp__pincer__exec`, `mcp__pincer.exec`, `pincer_exec`. @param {OfferedTool} tool @param {string} wanted */
function isOurs(tool, wanted) {
  const name = fullName(tool);
  return name.endsWith(wanted) && /pincer[_.]+$/u.test(name.slice(0, -wanted.length));
}

/** @param {import('node:http').IncomingMessage} request */
async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? {} : JSON.parse(text);
}

/** @param {import('node:http').ServerResponse} response @param {Reply} reply */
function send(response, reply) {
  if ('json' in reply) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(reply.json));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const { event, data } of reply.stream) {
    const head = event === undefined ? '' : `event: ${event}\n`;
    response.write(`${head}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  }
  response.end();
}
