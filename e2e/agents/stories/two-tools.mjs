// @ts-check
/** The first story of every agent: set up by `pincer init`, it runs a command and reads a file, and is taken out again. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../../support/checks.mjs';
import { runChild } from '../../support/child.mjs';
import { inPlace } from '../../support/place.mjs';
import { startServe } from '../../support/serve.mjs';
import { packageVersion } from '../clients/client.mjs';
import { startModel } from '../model.mjs';
import { block, normalised, shown } from '../transcript.mjs';
import { pincerSays } from './setting.mjs';

/**
 * @typedef {import('../clients/client.mjs').Client} Client
 * @typedef {import('../../support/place.mjs').Place} Place
 */

/** What the workspace of a story holds. */
export const FRUIT = 'pear\napple\npear\n';

/** @type {readonly import('../model.mjs').Step[]} */
const SCRIPT = [
  { tool: 'exec', args: { command: 'sort fruit.txt | uniq -c' } },
  { tool: 'read', args: { path: 'fruit.txt' } },
];

/** Written so that neither blanks nor the form of an answer decide. @type {readonly RegExp[]} */
const EXPECTED = [/1 apple\D+2 pear/u, /pear\D+apple\D+pear/u];

/** The agent starts our program. @param {Client} client @returns {Promise<string[]>} the parts of its page */
export function twoTools(client) {
  return inPlace(client.name, async (place) => {
    const { init, typed, model, seen } = await useBoth(place, client, client.init, {});
    const clean = (/** @type {string} */ text) => normalised(text, place);
    const ours = model.offered.filter((name) => name.includes('pincer'));
    const command = `pincer init ${client.name}`;
    return [
      `# ${client.title}`,
      `Written by \`npm run e2e:agents\` from a run of ${client.title} ${packageVersion(client.package)} with a scripted model.`,
      '## Set it up',
      block(`$ ${command}\n${clean(init)}`),
      ...client.setUp,
      `\`${command} --remove\` takes it out again and leaves the file as it was.`,
      '## A command and a file',
      'What the user types:',
      block(`$ ${typed}`),
      `The tools that the model is offered: ${ours.map((name) => `\`${name}\``).join(', ')}.`,
      ...SCRIPT.flatMap(({ tool, args }, index) => [
        `The model calls \`${tool}\` with \`${JSON.stringify(args)}\` and receives:`,
        block(clean(shown(model.results[index]))),
      ]),
      'What the user sees:',
      block(clean(seen)),
    ];
  });
}

/** The agent reaches a `pincer serve` that runs. @param {Client} client @returns {Promise<string[]>} the parts of its page */
export function twoToolsOverHttp(client) {
  return inPlace(`http-${client.name}`, async (place) => {
    const served = await startServe(place, []);
    const args = ['init', client.name, '--http', served.url, '--yes'];
    let init = '';
    try {
      ({ init } = await useBoth(place, client, args, { PINCER_TOKEN: served.token }));
    } finally {
      await served.stop();
    }
    must(!init.includes(served.token), 'init shows the token');
    return [
      '## Over HTTP',
      '`pincer serve` prints where it listens and where its token is. The agent takes the token from a variable, so no file holds it.',
      block(
        [
          '$ export PINCER_TOKEN="$(cat ~/.local/state/pincer/serve/token)"',
          `$ pincer init ${client.name} --http http://127.0.0.1:7462/mcp`,
          normalised(init, place).replaceAll('127.0.0.1:PORT/mcp', '127.0.0.1:7462/mcp'),
        ].join('\n'),
      ),
      'The same command and the same file give the model the same answers.',
    ];
  });
}

/**
 * Sets the agent up, lets it call both tools, looks at what reached the model, and takes us out again.
 * @param {Place} place @param {Client} client @param {string[]} initArgs @param {Record<string, string>} variables
 */
async function useBoth(place, client, initArgs, variables) {
  const model = await startModel(SCRIPT, 'The basket holds one apple and two pears.');
  try {
    writeFileSync(join(place.workspace, 'fruit.txt'), FRUIT);
    client.prepare(place, model.url);
    const file = client.entryFile(place);
    const before = contentOf(file);
    const init = await pincerSays(place, [...initArgs, '--human']);
    const start = client.start(place, model.url);
    const env = { ...place.env, ...start.env, ...variables };
    const ended = await runChild(start.command, start.args, { cwd: place.workspace, env, timeoutMs: 120_000 });
    const told = `${ended.stdout}\n${ended.stderr}\nunknown requests: ${model.unknown.join(', ')}`;
    must(ended.code === 0, `exit code ${ended.code}${ended.late ? ', too late' : ''}\n${told}`);
    must(model.results.length === SCRIPT.length, `${model.results.length} results reached the model\n${told}`);
    EXPECTED.forEach((pattern, index) => {
      const reached = plainText(model.results[index]);
      must(pattern.test(reached), `${SCRIPT[index]?.tool}: the model got ${reached}`);
    });
    await pincerSays(place, ['init', client.name, '--remove', '--yes']);
    must(contentOf(file) === before, `--remove left ${contentOf(file)} instead of ${before}`);
    return { init, typed: start.typed, model, seen: client.shown(ended.stdout) };
  } finally {
    await model.close();
  }
}

/** @param {string} file */
function contentOf(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** The text of a result in any form, JSON inside of JSON too. @param {unknown} result */
export function plainText(result) {
  return shown(result).replaceAll('\\\\', '\\').replaceAll('\\n', '\n');
}
