// @ts-check
/** An agent runs a command on a paired machine. The machine asks a person, and after the answer the model gets the output. */
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { must } from '../../support/checks.mjs';
import { runChild, startChild } from '../../support/child.mjs';
import { inPlace, PROGRAM } from '../../support/place.mjs';
import { startModel } from '../model.mjs';
import { block, normalised, shown } from '../transcript.mjs';
import { pincerSays, setRules } from './setting.mjs';
import { plainText } from './two-tools.mjs';

/** @typedef {import('../../support/place.mjs').Place} Place */

const COMMAND = 'uname -n';
const OUTPUT = `"text":${JSON.stringify(hostname())}`;
const RULES = '{\n  nodes: { listen: "127.0.0.1:0" },\n  tools: { exec: { host: "node" } },\n}\n';
const TRIES = 300;
const PAUSE_MS = 100;

/** @param {import('../clients/client.mjs').Client} client @returns {Promise<string[]>} the parts of its page */
export function nodeFor(client) {
  return inPlace(`gateway-${client.name}`, (gateway) =>
    inPlace(`node-${client.name}`, async (node) => {
      setRules(gateway, RULES);
      const serving = await started(gateway, ['gateway', '--port', '0']);
      try {
        const { invitation } = JSON.parse(await pincerSays(gateway, ['nodes', 'invite', '--json']));
        const running = await started(node, ['node', 'run', '--invitation', invitation, '--name', 'mac']);
        try {
          return await tell(gateway, node, client);
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

/** @param {Place} gateway @param {Place} node @param {import('../clients/client.mjs').Client} client */
async function tell(gateway, node, client) {
  let allowed = '';
  let slug = '';
  const call = { tool: 'exec', args: { command: COMMAND } };
  const allow = async () => {
    ({ slug, allowed } = await answer(node));
  };
  const model = await startModel([call, { ...call, ready: allow }], 'It ran on the other machine.');
  try {
    await connected(gateway);
    client.prepare(gateway, model.url);
    await pincerSays(gateway, client.init);
    const start = client.start(gateway, model.url);
    const env = { ...gateway.env, ...start.env };
    const ended = await runChild(start.command, start.args, { cwd: gateway.workspace, env, timeoutMs: 120_000 });
    must(ended.code === 0, `exit code ${ended.code}\n${model.unknown.join('\n')}\n${ended.stdout}${ended.stderr}`);
    const [asked = '', ran = ''] = model.results.map(plainText);
    must(asked.includes('approval-pending') && asked.includes('"mac"'), `the model got no question of mac: ${asked}`);
    must(ran.includes(OUTPUT), `the model got no host name: ${ran}`);
    const audit = await pincerSays(node, ['events', '--audit']);
    must(audit.includes(COMMAND), `the node did not run it: ${audit}`);

    const clean = (/** @type {string} */ text) =>
      normalised(normalised(text, node), gateway)
        .replaceAll(slug, 'SLUG')
        .replaceAll(OUTPUT, '"text":"mac.example"')
        .replaceAll(/\b[a-z2-7]{32}\b/gu, 'NODE-ID');
    return [
      '## A command on another machine',
      'Two machines are paired: `pincer gateway` on this one, `pincer node run` on the one called `mac` ([nodes.md](../nodes.md)). Commands run there by default:',
      block(RULES, 'jsonc'),
      `The model calls \`exec\` with \`${JSON.stringify(call.args)}\` and receives:`,
      block(clean(shown(model.results[0]))),
      'A person allows it on `mac`:',
      block(`$ pincer approvals allow SLUG --always --yes\n${clean(allowed)}`),
      'The model calls it again and receives:',
      block(clean(shown(model.results[1]))),
      'What the user sees:',
      block(clean(client.shown(ended.stdout))),
    ];
  } finally {
    await model.close();
  }
}

/** Allows the command that waits on the node. @param {Place} node */
async function answer(node) {
  for (let tries = 0; tries < TRIES; tries++, await wait(PAUSE_MS)) {
    const { approvals } = JSON.parse(await pincerSays(node, ['approvals', 'list', '--json']));
    const slug = approvals[0]?.slug;
    if (slug === undefined) continue;
    return { slug, allowed: await pincerSays(node, ['approvals', 'allow', slug, '--always', '--yes', '--human']) };
  }
  throw new Error('the node asks nobody');
}

/** @param {Place} gateway */
async function connected(gateway) {
  for (let tries = 0; tries < TRIES; tries++, await wait(PAUSE_MS)) {
    const nodes = JSON.parse(await pincerSays(gateway, ['nodes', 'list', '--json']));
    if (nodes.some((/** @type {{ connected: boolean }} */ one) => one.connected)) return;
  }
  throw new Error('the node does not connect');
}
