// @ts-check
/** The MCP Inspector's command line, as the client of another project. */
import { join } from 'node:path';
import { runChild } from './support/child.mjs';
import { must } from './support/checks.mjs';
import { NEWER_NODE, ROOT } from './support/place.mjs';

const SCRIPT = join(ROOT, 'e2e/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');

/**
 * @typedef {{ target: string[], flags: string[], cwd: string, env: Record<string, string> }} Server how the Inspector reaches it
 * @typedef {'legacy' | 'modern'} Era
 */

/**
 * Asks one thing, and gives the result.
 * @param {Server} server @param {Era} era @param {string[]} args @returns {Promise<any>}
 */
export async function inspect(server, era, args) {
  must(NEWER_NODE !== undefined, 'the newer Node is not installed in e2e/');
  const all = ['--cli', ...server.target, '--protocol-era', era, ...args, '--format', 'json', ...server.flags];
  const ended = await runChild(NEWER_NODE, [SCRIPT, ...all], { cwd: server.cwd, env: server.env, timeoutMs: 45_000 });
  must(!ended.late, `no answer within 45 s\n${ended.stderr}`);
  must(ended.code === 0, `exit code ${ended.code}\n${ended.stdout}${ended.stderr}`);
  return JSON.parse(ended.stdout).result;
}

/** Calls a tool. @param {Server} server @param {Era} era @param {string} tool @param {Record<string, unknown>} args */
export function callTool(server, era, tool, args) {
  const method = ['--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args)];
  return inspect(server, era, method);
}
