// @ts-check
/** Codex is asked for an approval in the client, as an editor with its app-server shows it, and gives each of the three answers. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../../support/checks.mjs';
import { inPlace } from '../../support/place.mjs';
import { codex } from '../clients/codex.mjs';
import { openAppServer } from '../codex-app-server.mjs';
import { block, normalised } from '../transcript.mjs';
import { JUDGED, pincerSays, setRules } from './setting.mjs';

/** @typedef {import('../codex-app-server.mjs').Question} Question */

/** What is called, and what the user answers; without an answer nobody may be asked. */
const CALLS = [
  { command: 'mkdir -v once', answer: 'allow-once' },
  { command: 'mkdir -v never', answer: 'deny' },
  { command: 'ls -1', answer: 'allow-always' },
  { command: 'ls -1', answer: undefined },
];

/** @returns {Promise<string[]>} the parts of its page */
export function approvalInCodex() {
  return inPlace('approval', tell);
}

/** @param {import('../../support/place.mjs').Place} place */
async function tell(place) {
  /** @type {Question[]} */
  let questions = [];
  /** @type {string | undefined} */
  let answer;
  setRules(place, JUDGED);
  codex.prepare(place, 'http://127.0.0.1:9');
  await pincerSays(place, codex.init);
  const server = await openAppServer(place, (question) => {
    questions.push(question);
    return { action: 'accept', content: { decision: answer ?? 'deny' } };
  });
  try {
    const told = [];
    for (const call of CALLS) {
      questions = [];
      answer = call.answer;
      const result = await server.call('exec', { command: call.command });
      const asked = questions.length;
      must(
        asked === (answer === undefined ? 0 : 1),
        `${call.command}: asked ${asked} times\n${JSON.stringify(result)}`,
      );
      must((result.isError === true) === (answer === 'deny'), `${call.command} ${answer}: ${JSON.stringify(result)}`);
      told.push({ ...call, result, question: questions[0] });
    }
    must(existsSync(join(place.workspace, 'once')), 'what was allowed did not run');
    must(!existsSync(join(place.workspace, 'never')), 'what was denied has run');
    const [once, never, always, again] = told;
    must(/created directory 'once'/u.test(once?.result.structuredContent?.text), JSON.stringify(once?.result));
    must(again?.result.structuredContent?.text === 'once', JSON.stringify(again?.result));
    const clean = (/** @type {unknown} */ value) =>
      normalised(typeof value === 'string' ? value : JSON.stringify(value, null, 2), place);
    const message = (/** @type {Question | undefined} */ question) => block(clean(String(question?.params.message)));
    return [
      '## An approval in the client',
      'Codex can ask its user. Where commands are judged, one that is not on the allowlist becomes a question in the client. Here its `app-server` is asked, as in an editor.',
      block(JUDGED, 'jsonc'),
      `The tool \`exec\` is called with \`${once?.command}\`. What the user is asked, and how it may be answered:`,
      message(once?.question),
      block(clean(once?.question?.params.requestedSchema), 'json'),
      'The answer is `allow-once`. The command runs, and the result is:',
      block(clean(once?.result), 'json'),
      `The tool is called with \`${never?.command}\`, and the answer is \`deny\`:`,
      block(clean(never?.result), 'json'),
      `The tool is called with \`${always?.command}\`:`,
      message(always?.question),
      'The answer is `allow-always`. It runs, and the same call after it runs without a question.',
    ];
  } finally {
    await server.close();
  }
}
