// @ts-check
/**
 * `npm run e2e`: the built program against programs of others. The MCP Inspector lists and calls every tool over HTTP and
 * stdio in both eras of the protocol, the official conformance suite runs against the fixtures, and an example runs with a
 * package that needs a newer Node.
 *
 *   node e2e/run.mjs [word]     only the checks whose name has the word
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CALLS, problemOf } from './calls.mjs';
import { REVISIONS, runConformance } from './conformance.mjs';
import { checkOpenAiAgents } from './example.mjs';
import { buildFixtures } from './fixtures.mjs';
import { callTool, inspect } from './inspector.mjs';
import { finish, makeChecks, must } from './support/checks.mjs';
import { endAllOnSignal } from './support/child.mjs';
import { ensureInstalled } from './support/packages.mjs';
import { inPlace, PROGRAM, ROOT } from './support/place.mjs';
import { startServe, startServing } from './support/serve.mjs';
import { startTokenProxy } from './token-proxy.mjs';

/** Every tool is offered: the patch tool to a model of the family that knows it, undo by leave of the operator. */
const OFFER = ['--model', 'gpt-5', '--allow-undo'];
const CONFIG = '{\n  // e2e\n  tools: { exec: { applyPatch: { enabled: true } } },\n}\n';
const only = process.argv[2] ?? '';

/** @param {string} name @param {() => Promise<unknown>} work */
async function check(name, work) {
  if (name.includes(only)) await checks.check(name, work);
}

/** @param {import('./support/place.mjs').Place} place */
function offerAll({ home }) {
  const folder = join(home, '.config', 'pincer');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'pincer.jsonc'), CONFIG);
}

/** @param {string} label @param {import('./inspector.mjs').Server} server @param {import('./inspector.mjs').Era} era */
async function everyTool(label, server, era) {
  await check(`${label} lists tools that every model provider takes`, async () => {
    const { tools } = await inspect(server, era, ['--method', 'tools/list', '--strict']);
    const names = tools.map((/** @type {{ name: string }} */ tool) => tool.name).sort();
    const wanted = CALLS.map((call) => call.tool).sort();
    must(String(names) === String(wanted), `listed ${names.join(' ')}, not ${wanted.join(' ')}`);
  });
  for (const call of CALLS)
    await check(`${label} calls ${call.tool}`, async () => {
      const problem = problemOf(call, await callTool(server, era, call.tool, call.args));
      must(problem === undefined, `${call.tool}: ${problem}`);
    });
  await check(`${label} reads a file as a resource`, async () => {
    const { contents } = await inspect(server, era, ['--method', 'resources/read', '--uri', 'oc://notes.md']);
    must(contents?.[0]?.text === '## Notes\n\n- owner: somebody\n', `the contents are ${JSON.stringify(contents)}`);
  });
}

/** @param {import('./inspector.mjs').Era} era */
function overStdio(era) {
  return inPlace(`stdio-${era}`, async (place) => {
    offerAll(place);
    const target = [process.execPath, PROGRAM, 'mcp', ...OFFER];
    const flags = ['--cwd', place.workspace];
    await everyTool(`stdio ${era}`, { target, flags, cwd: place.folder, env: place.env }, era);
  });
}

/** @param {import('./inspector.mjs').Era} era */
function overHttp(era) {
  return inPlace(`http-${era}`, async (place) => {
    offerAll(place);
    const served = await startServe(place, OFFER);
    const flags = ['--transport', 'http', '--header', `Authorization: Bearer ${served.token}`];
    try {
      await everyTool(`http ${era}`, { target: [served.url], flags, cwd: place.folder, env: place.env }, era);
    } finally {
      await served.stop();
    }
  });
}

function conformance() {
  return inPlace('conformance', async (place) => {
    const program = await buildFixtures(place.folder);
    await check('conformance fixtures are on stdio, too', async () => {
      const target = [process.execPath, program];
      const server = { target, flags: [], cwd: place.folder, env: place.env };
      const { content } = await callTool(server, 'modern', 'test_simple_text', {});
      must(content[0].text === 'This is a simple text response for testing.', JSON.stringify(content));
    });
    const served = await startServing(place, [program, join(place.folder, 'state')]);
    const proxy = await startTokenProxy(served.url, served.token);
    try {
      for (const revision of REVISIONS)
        await check(`conformance with ${revision}`, () => runConformance(proxy.url, revision, place.folder));
    } finally {
      await proxy.close();
      await served.stop();
    }
  });
}

function example() {
  return inPlace('example', (place) =>
    check('example openai-agents keeps its promises with the real package', () => checkOpenAiAgents(place)),
  );
}

/** A group that cannot even begin is one failed check. @param {string} name @param {() => Promise<void>} work */
async function group(name, work) {
  if (!name.includes(only) && !only.includes(name)) return;
  try {
    await work();
  } catch (error) {
    await checks.check(name, () => Promise.reject(error));
  }
}

endAllOnSignal();
const checks = makeChecks();
await group('', async () => {
  must(existsSync(PROGRAM), 'dist/pincer.cjs is missing: npm run build');
  await ensureInstalled(join(ROOT, 'e2e'));
});
// Two at a time: more would only wait for each other.
await Promise.all([group('stdio legacy', () => overStdio('legacy')), group('http modern', () => overHttp('modern'))]);
await Promise.all([group('stdio modern', () => overStdio('modern')), group('http legacy', () => overHttp('legacy'))]);
await group('conformance', conformance);
await group('example openai-agents', example);
finish(checks.counts);
