// @ts-check
/** Claude Code's own Bash behind our policy: a pipe of allowed programs passes, `rm -rf` does not. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../../support/checks.mjs';
import { runChild } from '../../support/child.mjs';
import { inPlace } from '../../support/place.mjs';
import { claudeCode, startWithHook } from '../clients/claude-code.mjs';
import { startModel } from '../model.mjs';
import { block, normalised, shown } from '../transcript.mjs';
import { pincerSays, setRules } from './setting.mjs';
import { FRUIT, plainText } from './two-tools.mjs';

const ALLOWED = 'sort fruit.txt | uniq -c';
const DENIED = 'rm -rf fruit.txt';
const RULES = `{
  tools: { exec: { denyRules: [{ pattern: "/usr/bin/rm", args: ["-rf"], reason: "deleting folders is for people" }] } },
}
`;

/** @returns {Promise<string[]>} the parts of its page */
export function hookInClaudeCode() {
  return inPlace('hook', tell);
}

/** @param {import('../../support/place.mjs').Place} place */
async function tell(place) {
  const bash = (/** @type {string} */ command) =>
    /** @type {const} */ ({ tool: 'Bash', own: true, args: { command, description: 'as told' } });
  const model = await startModel([bash(ALLOWED), bash(DENIED)], 'The first was allowed, the second was not.');
  try {
    writeFileSync(join(place.workspace, 'fruit.txt'), FRUIT);
    setRules(place, RULES);
    const init = await pincerSays(place, ['init', 'claude-code', '--hook', '--yes', '--human']);
    const added = await pincerSays(place, ['approvals', 'allowlist', 'add', '/usr/bin/sort', '--human']);

    const start = startWithHook(model.url);
    const env = { ...place.env, ...start.env };
    const ended = await runChild(start.command, start.args, { cwd: place.workspace, env, timeoutMs: 120_000 });
    must(ended.code === 0, `exit code ${ended.code}\n${ended.stdout}${ended.stderr}`);
    const [allowed = '', denied = ''] = model.results.map(plainText);
    must(/1 apple\s+2 pear/u.test(allowed), `the pipe gave ${allowed}`);
    must(denied.includes('deleting folders is for people'), `rm -rf gave ${denied}`);
    must(existsSync(join(place.workspace, 'fruit.txt')), 'rm -rf has run');

    const clean = (/** @type {string} */ text) => normalised(text, place);
    return [
      '## Our policy in front of its own Bash',
      'Claude Code matches whole command lines, so a pipe is on no list of its own. The hook judges every program of the line.',
      block(`$ pincer init claude-code --hook\n${clean(init)}`),
      'The rules, in `~/.config/pincer/pincer.jsonc`, and one more program that may run:',
      block(RULES, 'jsonc'),
      block(`$ pincer approvals allowlist add /usr/bin/sort\n${clean(added)}`),
      `\`${start.typed}\`: the model calls \`Bash\` with \`${ALLOWED}\`. \`sort\` is on the allowlist, \`uniq\` only filters, so nobody is asked:`,
      block(clean(shown(model.results[0]))),
      `The model calls \`Bash\` with \`${DENIED}\` and receives:`,
      block(clean(shown(model.results[1]))),
      'What the user sees:',
      block(clean(claudeCode.shown(ended.stdout))),
    ];
  } finally {
    await model.close();
  }
}
