// @ts-check
/**
 * `npm run e2e:agents`: real agents, offline, with a scripted model. Each is set up by `pincer init`, runs a command and reads a
 * file through us, and what reached the model is looked at. The pages under docs/agents are written from what happened.
 *
 *   node e2e/agents/run.mjs [agent]     only this one; openclaw is tried only when it is named
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { finish, makeChecks, must } from '../support/checks.mjs';
import { endAllOnSignal } from '../support/child.mjs';
import { ensureInstalled } from '../support/packages.mjs';
import { PROGRAM, ROOT } from '../support/place.mjs';
import { claudeCode, claudeCodeHook } from './clients/claude-code.mjs';
import { codex, codexHook } from './clients/codex.mjs';
import { gemini, geminiHook } from './clients/gemini.mjs';
import { opencode } from './clients/opencode.mjs';
import { approvalInCodex } from './stories/approval.mjs';
import { hookIn } from './stories/hook.mjs';
import { inboxFor } from './stories/inbox.mjs';
import { nodeInClaudeCode } from './stories/node.mjs';
import { pluginInOpenClaw, serverInOpenClaw } from './stories/openclaw.mjs';
import { twoTools, twoToolsOverHttp } from './stories/two-tools.mjs';
import { writePage } from './transcript.mjs';

/**
 * @typedef {import('./clients/client.mjs').Client} Client
 * @typedef {{ name: string, tell: () => Promise<string[]> }} Story gives the parts of a page
 * @typedef {{ name: string, title: string, onlyWhenNamed?: true, packages: string[], stories: Story[] }} Agent
 */

/** @type {readonly Agent[]} */
const AGENTS = [
  agent(
    claudeCode,
    inbox(claudeCode, 'Claude Code asks its user. Started with `-p` no person can answer, so the command waits:'),
    hook(claudeCode, claudeCodeHook),
    { name: 'runs a command on a node, which asks first', tell: nodeInClaudeCode },
  ),
  agent(codex, { name: 'is asked for an approval, and answers', tell: approvalInCodex }, hook(codex, codexHook)),
  agent(
    gemini,
    inbox(gemini, 'Gemini CLI has no way to ask its user for a server, so the command waits:'),
    hook(gemini, geminiHook),
  ),
  agent(opencode, inbox(opencode, 'opencode has no way to ask its user for a server, so the command waits:')),
  {
    name: 'openclaw',
    title: 'OpenClaw',
    onlyWhenNamed: true,
    packages: ['e2e', 'e2e/openclaw'],
    stories: [
      { name: 'finds our tools', tell: serverInOpenClaw },
      { name: 'loads our plugin', tell: pluginInOpenClaw },
    ],
  },
];

/** @param {Client} client @param {Story[]} more @returns {Agent} */
function agent(client, ...more) {
  const first = { name: 'runs a command and reads a file', tell: () => twoTools(client) };
  const overHttp = { name: 'does the same over HTTP', tell: () => twoToolsOverHttp(client) };
  return { name: client.name, title: client.title, packages: ['e2e/agents'], stories: [first, overHttp, ...more] };
}

/** @param {Client} client @param {import('./clients/client.mjs').Hooked} hooked @returns {Story} */
function hook(client, hooked) {
  return { name: 'asks our hook before its own tools and ours', tell: () => hookIn(client, hooked) };
}

/** @param {Client} client @param {string} why it comes to this @returns {Story} */
function inbox(client, why) {
  return { name: 'leaves a command in the inbox, and it is allowed', tell: () => inboxFor(client, why) };
}

const only = process.argv[2];
const chosen = AGENTS.filter((one) => (only === undefined ? one.onlyWhenNamed !== true : one.name === only));
endAllOnSignal();
const checks = makeChecks();
const ready = await checks.check('the agents are installed', async () => {
  must(process.platform === 'linux', 'the agents are installed for Linux only');
  must(existsSync(PROGRAM), 'dist/pincer.cjs is missing: npm run build');
  must(chosen.length > 0, `there is no agent ${only}; there are ${AGENTS.map(({ name }) => name).join(', ')}`);
  for (const folder of new Set(chosen.flatMap(({ packages }) => packages))) await ensureInstalled(join(ROOT, folder));
});
for (const { name, title, stories } of ready ? chosen : []) {
  /** @type {string[]} */
  const parts = [];
  const told = [];
  for (const story of stories)
    told.push(await checks.check(`${title} ${story.name}`, async () => parts.push(...(await story.tell()))));
  if (!told.includes(false)) writePage(name, parts);
}
finish(checks.counts);
