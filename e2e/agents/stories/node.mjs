// @ts-check
/**
 * Claude Code runs a command on a paired machine. The machine asks a person: at the gateway, in Claude Code, and on the machine
 * itself. After each answer the model gets the output.
 */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { must } from '../../support/checks.mjs';
import { runChild, startChild } from '../../support/child.mjs';
import { inPlace, PROGRAM } from '../../support/place.mjs';
import { answeringUser, claudeCode } from '../clients/claude-code.mjs';
import { startModel } from '../model.mjs';
import { block, normalised, shown } from '../transcript.mjs';
import { pincerSays, setRules } from './setting.mjs';
import { plainText } from './two-tools.mjs';

/**
 * @typedef {import('../../support/place.mjs').Place} Place
 * @typedef {import('../model.mjs').Step} Step
 * @typedef {{ gateway: Place, node: Place, clean: (text: string) => string }} Machines
 */

const COMMAND = 'uname -n';
const CALL = { tool: 'exec', args: { command: COMMAND } };
const OUTPUT = `"text":${JSON.stringify(hostname())}`;
const RULES = '{\n  nodes: { listen: "127.0.0.1:0" },\n  tools: { exec: { host: "node" } },\n}\n';
const TRIES = 300;
const PAUSE_MS = 100;

/** @returns {Promise<string[]>} the parts of its page */
export function nodeInClaudeCode() {
  return inPlace('gateway-of-node', (gateway) =>
    inPlace('node', async (node) => {
      setRules(gateway, RULES);
      const serving = await started(gateway, ['gateway', '--port', '0']);
      try {
        const { invitation } = JSON.parse(await pincerSays(gateway, ['nodes', 'invite', '--json']));
        const running = await started(node, ['node', 'run', '--invitation', invitation, '--name', 'mac']);
        try {
          await connected(gateway);
          await pincerSays(gateway, claudeCode.init);
          const clean = (/** @type {string} */ text) =>
            normalised(normalised(text, node), gateway)
              .replaceAll(/(\ballowed |\bid |"approvalSlug":")[0-9a-f]{8}\b/gu, '$1SLUG')
              .replaceAll(/^[0-9a-f]{8}(?= {2}\d)/gmu, 'SLUG')
              .replaceAll(/("sessionId":")[a-z]+-[a-z]+(?=")/gu, '$1SESSION')
              .replaceAll(/("digest":")[0-9a-f]{64}(?=")/gu, '$1DIGEST')
              .replaceAll(OUTPUT, '"text":"mac.example"')
              .replaceAll(/\b[a-z2-7]{32}\b/gu, 'NODE-ID');
          const machines = { gateway, node, clean };
          return [
            '## A command on another machine',
            'Two machines are paired: `pincer gateway` on this one, `pincer node run` on the one called `mac` ([nodes.md](../nodes.md)). Commands run there by default:',
            block(RULES, 'jsonc'),
            ...(await answeredAtGateway(machines)),
            ...(await answeredInClient(machines)),
            ...(await answeredOnNode(machines)),
          ];
        } finally {
          await running.stop();
        }
      } finally {
        await serving.stop();
      }
    }),
  );
}

/** @param {Place} place @param {readonly string[]} args */
function started(place, args) {
  return startChild(process.execPath, [PROGRAM, ...args, '--json'], { cwd: place.workspace, env: place.env });
}

/** @param {Machines} machines */
async function answeredAtGateway({ gateway, node, clean }) {
  let allowed = '';
  const log = { tool: 'process', args: { action: 'log', sessionId: '' } };
  const ready = async () => {
    allowed = await allow(gateway, []);
    log.args.sessionId = /session ([a-z]+-[a-z]+)/u.exec(allowed)?.[1] ?? '';
  };
  const { results } = await claude(gateway, [CALL, { ...log, ready }]);
  const [asked = '', read = ''] = results.map(plainText);
  must(asked.includes('approval-pending') && asked.includes('"mac"'), `the model got no question of mac: ${asked}`);
  must(read.includes(hostname()), `the model got no host name: ${read}`);
  await mustHaveRun(node, 1);
  return [
    `The model calls \`exec\` with \`${JSON.stringify(CALL.args)}\` and receives:`,
    block(clean(shown(results[0]))),
    'A person allows it at the gateway:',
    block(`$ pincer approvals allow SLUG\n${clean(allowed)}`),
    'The model reads the output with `process`, and receives:',
    block(clean(shown(results[1])).replace(`"totalBytes":${hostname().length + 1}`, '"totalBytes":12')),
  ];
}

/** @param {Machines} machines */
async function answeredInClient({ gateway, node, clean }) {
  const file = join(gateway.folder, 'question.json');
  const { results } = await claude(gateway, [CALL], answeringUser(file, { decision: 'allow-once' }));
  const ran = plainText(results[0]);
  must(ran.includes(OUTPUT), `the model got no host name: ${ran}`);
  const { message } = JSON.parse(readFileSync(file, 'utf8'));
  must(
    message.includes('mac') && message.includes(COMMAND),
    `the question does not name mac and its command: ${message}`,
  );
  await mustHaveRun(node, 2);
  return [
    'Where Claude Code has a user, it asks. Here its hook `Elicitation` answers in place of the user with `allow-once`. The question:',
    block(clean(message)),
    'The model receives:',
    block(clean(shown(results[0]))),
  ];
}

/** @param {Machines} machines */
async function answeredOnNode({ gateway, node, clean }) {
  let allowed = '';
  const ready = async () => {
    allowed = await allow(node, ['--always', '--yes']);
  };
  const { results, seen } = await claude(gateway, [CALL, { ...CALL, ready }]);
  const ran = plainText(results[1]);
  must(ran.includes(OUTPUT), `the model got no host name: ${ran}`);
  await mustHaveRun(node, 4);
  return [
    'A person on `mac` can answer, too, and store a rule there:',
    block(`$ pincer approvals allow SLUG --always --yes\n${clean(allowed)}`),
    'From now on it runs without a question. The model receives:',
    block(clean(shown(results[1]))),
    'What the user sees:',
    block(clean(seen)),
  ];
}

/** Runs Claude Code. @param {Place} gateway @param {readonly Step[]} script @param {readonly string[]} more its arguments */
async function claude(gateway, script, more = []) {
  const model = await startModel(script, 'It ran on the other machine.');
  try {
    const start = claudeCode.start(gateway, model.url);
    const env = { ...gateway.env, ...start.env };
    const args = [...start.args, ...more];
    const ended = await runChild(start.command, args, { cwd: gateway.workspace, env, timeoutMs: 120_000 });
    must(ended.code === 0, `exit code ${ended.code}\n${model.unknown.join('\n')}\n${ended.stdout}${ended.stderr}`);
    must(model.results.length === script.length, `${model.results.length} results reached the model`);
    return { results: model.results, seen: claudeCode.shown(ended.stdout) };
  } finally {
    await model.close();
  }
}

/** Allows the command that waits. @param {Place} place the gateway or the node @param {readonly string[]} more arguments */
async function allow(place, more) {
  for (let tries = 0; tries < TRIES; tries++, await wait(PAUSE_MS)) {
    const { approvals } = JSON.parse(await pincerSays(place, ['approvals', 'list', '--json']));
    const slug = approvals[0]?.slug;
    if (slug !== undefined) return pincerSays(place, ['approvals', 'allow', slug, ...more, '--human']);
  }
  throw new Error('no approval request waits');
}

/** @param {Place} node @param {number} times so far */
async function mustHaveRun(node, times) {
  const audit = (await pincerSays(node, ['events', '--audit', '--json'])).split('\n').filter(Boolean);
  const starts = audit
    .map((line) => JSON.parse(line))
    .filter(({ event, command }) => event === 'started' && command === COMMAND);
  must(starts.length === times, `the node ran it ${starts.length} times, and not ${times}`);
}

/** @param {Place} gateway */
async function connected(gateway) {
  for (let tries = 0; tries < TRIES; tries++, await wait(PAUSE_MS)) {
    const nodes = JSON.parse(await pincerSays(gateway, ['nodes', 'list', '--json']));
    if (nodes.some((/** @type {{ connected: boolean }} */ one) => one.connected)) return;
  }
  throw new Error('the node does not connect');
}
