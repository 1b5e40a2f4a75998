// @ts-check
/**
 * The tour: a sample workspace in a temporary folder and a list of commands run through the built program.
 * `npm start` prints it, and `npm run tour` writes it into README.md, so that the README shows real output.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The files of the sample workspace. @type {Readonly<Record<string, string>>} */
const WORKSPACE = {
  'AGENTS.md': `---
name: harbour
tier: core
---

# Harbour desk

## Runtime safety

- gateway: restart only between tides
- backups: nightly

## Tools

- gh: GitHub CLI
  - risk: low
- send_email: enabled
  - risk: high
`,
  'config.jsonc': `{
  // one entry for each plugin
  "plugins": {
    "github": {"enabled": true, "role": "vcs"},
    "slack":  {"enabled": false, "role": "chat"} // quiet until spring
  },
  "account": 9007199254740993
}
`,
  'session.jsonl': `{"event":"start","ts":1}
{"event":"tool_call","name":"read","ts":2}
{"event":"tool_call","name":"edit","ts":3}
{"event":"end","ts":4}
`,
  'workflow.yaml': `name: inbox-triage
steps:
  - id: fetch        # once an hour
    command: gmail.search
  - id: classify
    command: pincer.invoke
`,
};

/** What the tour shows, in order: a sentence and the arguments after \`pincer path\`. @type {readonly [string, string[]][]} */
const STOPS = [
  ['What can be addressed in a file?', ['ls', 'AGENTS.md']],
  ['One value, by name instead of by line.', ['resolve', 'oc://AGENTS.md/tools/gh/risk']],
  ['Every match of a pattern.', ['find', 'oc://session.jsonl/[event=tool_call]/name']],
  ['Numbers stay as they are spelled.', ['resolve', 'oc://config.jsonc/account']],
  [
    'A change, seen before it is made: the comment and the spacing stay.',
    ['set', 'oc://config.jsonc/plugins/slack/enabled', 'true', '--dry-run', '--diff'],
  ],
  ['The same change, made.', ['set', 'oc://config.jsonc/plugins/slack/enabled', 'true']],
  ['The last step of a workflow.', ['set', 'oc://workflow.yaml/steps/$last/id', 'sort', '--dry-run', '--diff']],
  ['An append is an append.', ['set', 'oc://session.jsonl/+', '{"event":"checkpoint","ts":5}']],
  ['The text of a place, for a shell script.', ['resolve', 'oc://session.jsonl/$last', '--raw']],
];

const START = '<!-- tour: npm run tour -->';
const END = '<!-- /tour -->';

/** Shell spelling of an argument: quoted only where a shell would read it differently. @param {string} argument */
export function shellWord(argument) {
  return /^[\w./:=-]+$/u.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}

/** Runs the tour through `dist/pincer.cjs` and gives what it prints. @param {string} root */
export function tour(root) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pincer-tour-')));
  const state = realpathSync(mkdtempSync(join(tmpdir(), 'pincer-tour-state-')));
  try {
    for (const [name, text] of Object.entries(WORKSPACE)) writeFileSync(join(folder, name), text);
    const blocks = STOPS.map(([sentence, args]) => {
      const shown = `# ${sentence}\n$ pincer path ${args.map(shellWord).join(' ')}`;
      const human = args.includes('--raw') ? args : [...args, '--human'];
      const result = spawnSync(process.execPath, [join(root, 'dist', 'pincer.cjs'), 'path', ...human], {
        cwd: folder,
        env: { PATH: process.env['PATH'] ?? '', HOME: state, PINCER_STATE_DIR: state, NO_COLOR: '1' },
        encoding: 'utf8',
      });
      const output = `${result.stdout}${result.stderr}`.replaceAll(folder, '/…').trimEnd();
      if (result.status !== 0)
        throw new Error(`The tour stopped with exit code ${result.status}.\n${shown}\n${output}`);
      return `${shown}\n${output}`;
    });
    return blocks.join('\n\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(state, { recursive: true, force: true });
  }
}

/** The tour as it stands between its marks in the README. @param {string} readme */
export function tourInReadme(readme) {
  const start = readme.indexOf(START);
  const end = readme.indexOf(END);
  if (start < 0 || end < start) throw new Error(`README.md lacks the marks ${START} and ${END}.`);
  return readme.slice(start + START.length, end).trim();
}

/** The README's form of the tour. @param {string} text */
export function asBlock(text) {
  return `\`\`\`console\n${text}\n\`\`\``;
}

function writeReadme() {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const file = join(root, 'README.md');
  const readme = readFileSync(file, 'utf8');
  const old = tourInReadme(readme);
  const fresh = asBlock(tour(root));
  if (old !== fresh)
    writeFileSync(
      file,
      readme.replace(`${START}\n${old}`, () => `${START}\n${fresh}`),
    );
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) writeReadme();
