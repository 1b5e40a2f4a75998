// @ts-check
/** The client's own tools and ours behind one policy: a pipe of allowed programs passes, what the rules forbid does not. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../../support/checks.mjs';
import { runChild } from '../../support/child.mjs';
import { inPlace } from '../../support/place.mjs';
import { startModel } from '../model.mjs';
import { block, normalised, shown } from '../transcript.mjs';
import { pincerSays, setRules } from './setting.mjs';
import { FRUIT, plainText } from './two-tools.mjs';

const ALLOWED = 'grep -n pear fruit.txt | cut -c1-6';
const UNLISTED = 'mkdir made';
const DENIED = 'rm -rf fruit.txt';
const RULES = `{
  tools: { exec: { denyRules: [{ pattern: "/usr/bin/rm", args: ["-rf"], reason: "deleting folders is for people" }] } },
}
`;

/**
 * @param {import('../clients/client.mjs').Client} client @param {import('../clients/client.mjs').Hooked} hooked
 * @returns {Promise<string[]>} the parts of its page
 */
export function hookIn(client, hooked) {
  return inPlace(`hook-${client.name}`, (place) => tell(place, client, hooked));
}

/** @param {import('../../support/place.mjs').Place} place @param {import('../clients/client.mjs').Client} client @param {import('../clients/client.mjs').Hooked} hooked */
async function tell(place, client, hooked) {
  const config = join(place.workspace, 'pincer.jsonc');
  const script = [
    hooked.shell(ALLOWED),
    hooked.shell(DENIED),
    hooked.write(config, '{}'),
    hooked.exec(DENIED),
    hooked.exec(UNLISTED),
  ];
  const model = await startModel(script, 'The first was allowed, the others were not.');
  try {
    const fruit = join(place.workspace, 'fruit.txt');
    writeFileSync(fruit, FRUIT);
    setRules(place, RULES);
    client.prepare(place, model.url);
    const file = hooked.hookFile(place);
    const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    const init = await pincerSays(place, ['init', client.name, '--hook', '--yes', '--human']);
    const added = await pincerSays(place, ['approvals', 'allowlist', 'add', '/usr/bin/grep', '--human']);
    const start = hooked.startWithHook(place, model.url);
    const env = { ...place.env, ...start.env };
    const ended = await runChild(start.command, start.args, { cwd: place.workspace, env, timeoutMs: 120_000 });
    must(ended.code === 0, `exit code ${ended.code}\n${ended.stdout}${ended.stderr}\n${JSON.stringify(model.results)}`);
    const told = `${model.offered.join(' ')}\n${ended.stdout}\n${ended.stderr}`;
    must(model.results.length === script.length, `${model.results.length} results reached the model\n${told}`);
    const [allowed = '', denied = '', written = '', ours = ''] = model.results.map(plainText);
    must(/1:pear\s+3:pear/u.test(allowed), `the pipe gave ${allowed}`);
    must(denied.includes('deleting folders is for people'), `rm -rf gave ${denied}`);
    must(written.includes('FS_PROTECTED') && !existsSync(config), `writing pincer.jsonc gave ${written}`);
    must(ours.includes('deleting folders is for people'), `rm -rf by our exec gave ${ours}`);
    must(existsSync(fruit), 'rm -rf has run');
    must(
      !existsSync(join(place.workspace, 'made')),
      `mkdir has run without a question: ${plainText(model.results[4])}`,
    );
    await pincerSays(place, ['init', client.name, '--remove', '--yes']);
    const after = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    must(after === before, `--remove left ${after} instead of ${before}`);

    const clean = (/** @type {string} */ text) => normalised(text, place);
    const own = (/** @type {number} */ index) => `\`${script[index]?.tool}\``;
    return [
      '## The rules before its own tools',
      'The hook judges every program of a command line, and the files that the client writes by the rules of the file tools of Pincer. It also judges `exec` of Pincer where the server itself would not.',
      block(`$ pincer init ${client.name} --hook\n${clean(init)}`),
      ...hooked.remarks,
      'The rules, in `~/.config/pincer/pincer.jsonc`, and one more program that may run:',
      block(RULES, 'jsonc'),
      block(`$ pincer approvals allowlist add /usr/bin/grep\n${clean(added)}`),
      'What the user types:',
      block(`$ ${start.typed}`),
      `The model calls ${own(0)} with \`${ALLOWED}\`. \`grep\` is on the allowlist, \`cut\` only filters, so no person is asked:`,
      block(clean(shown(model.results[0]))),
      `The model calls ${own(1)} with \`${DENIED}\` and receives:`,
      block(clean(shown(model.results[1]))),
      `The model calls ${own(2)} to write \`pincer.jsonc\` and receives:`,
      block(clean(shown(model.results[2]))),
      `The model calls \`exec\` of Pincer with \`${DENIED}\` and receives:`,
      block(clean(shown(model.results[3]))),
      `The model calls \`exec\` of Pincer with \`${UNLISTED}\`, which is not on the allowlist. No person can answer here, so the call is denied:`,
      block(clean(shown(model.results[4]))),
      'What the user sees:',
      block(clean(client.shown(ended.stdout))),
    ];
  } finally {
    await model.close();
  }
}
