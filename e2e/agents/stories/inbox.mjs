// @ts-check
/** An agent that cannot ask its user: the command waits, the model is told the line that allows it, and a person types it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { must } from '../../support/checks.mjs';
import { runChild } from '../../support/child.mjs';
import { inPlace } from '../../support/place.mjs';
import { startModel } from '../model.mjs';
import { block, normalised, shown } from '../transcript.mjs';
import { JUDGED, pincerSays, setRules } from './setting.mjs';
import { plainText } from './two-tools.mjs';

const COMMAND = 'mkdir -v made';

/** @param {import('../clients/client.mjs').Client} client @param {string} why it comes to this @returns {Promise<string[]>} */
export function inboxFor(client, why) {
  return inPlace(`inbox-${client.name}`, (place) => tell(place, client, why));
}

/** @param {import('../../support/place.mjs').Place} place @param {import('../clients/client.mjs').Client} client @param {string} why */
async function tell(place, client, why) {
  const model = await startModel([{ tool: 'exec', args: { command: COMMAND } }], 'It waits for you.');
  try {
    setRules(place, JUDGED);
    client.prepare(place, model.url);
    await pincerSays(place, client.init);
    const start = client.start(place, model.url);
    const env = { ...place.env, ...start.env };
    const ended = await runChild(start.command, start.args, { cwd: place.workspace, env, timeoutMs: 120_000 });
    must(ended.code === 0, `exit code ${ended.code}\n${ended.stdout}${ended.stderr}`);
    const reached = plainText(model.results[0]);
    const line = /pincer approvals allow ([\w-]+)/u.exec(reached);
    must(line !== null, `the model is told no line: ${reached}`);
    const made = join(place.workspace, 'made');
    must(!existsSync(made), 'it has run without an answer');
    const allowed = await pincerSays(place, ['approvals', 'allow', line[1] ?? '', '--human']);
    for (let tries = 0; tries < 100 && !existsSync(made); tries++) await wait(100);
    must(existsSync(made), `it was allowed and did not run: ${allowed}`);

    const clean = (/** @type {string} */ text) => normalised(text, place).replaceAll(line[1] ?? '', 'SLUG');
    return [
      '## A command that needs a person',
      why,
      block(JUDGED, 'jsonc'),
      `The model calls \`exec\` with \`${JSON.stringify({ command: COMMAND })}\` and receives:`,
      block(clean(shown(model.results[0]))),
      'A person allows it, and it runs:',
      block(`$ pincer approvals allow SLUG\n${clean(allowed)}`),
    ];
  } finally {
    await model.close();
  }
}
