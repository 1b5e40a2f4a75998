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

/**
 * One command of the tour: a sentence, the arguments after `pincer`, what is piped into it, and how it ends if not well.
 * @typedef {{ says: string, args: string[], input?: string, exit?: number }} Stop
 */

/** @type {readonly Stop[]} */
const STOPS = [
  { says: 'What can be addressed in a file?', args: ['path', 'ls', 'AGENTS.md'] },
  { says: 'One value, by name instead of by line.', args: ['path', 'resolve', 'oc://AGENTS.md/tools/gh/risk'] },
  { says: 'Every match of a pattern.', args: ['path', 'find', 'oc://session.jsonl/[event=tool_call]/name'] },
  {
    says: 'A change, seen before it is made: the comment and the spacing stay.',
    args: ['path', 'set', 'oc://config.jsonc/plugins/slack/enabled', 'true', '--dry-run', '--diff'],
  },
  { says: 'The same change, made.', args: ['path', 'set', 'oc://config.jsonc/plugins/slack/enabled', 'true'] },
  { says: 'An append is an append.', args: ['path', 'set', 'oc://session.jsonl/+', '{"event":"checkpoint","ts":5}'] },
  { says: 'The text of a place, for a shell script.', args: ['path', 'resolve', 'oc://session.jsonl/$last', '--raw'] },
  {
    says: 'Any text file: replace a text that occurs once.',
    args: ['edit', 'workflow.yaml', '--old', 'once an hour', '--new', 'twice a day'],
  },
  {
    says: 'What almost fits is shown, and nothing is changed.',
    args: ['edit', 'workflow.yaml', '--old', 'command: gmail.serach', '--new', 'command: gmail.list'],
    exit: 1,
  },
  {
    says: 'A patch is applied whole, or not at all.',
    args: ['patch'],
    input: `*** Begin Patch
*** Update File: workflow.yaml
@@
-  - id: classify
+  - id: sort
*** Move File: AGENTS.md -> docs/AGENTS.md
*** Add File: notes.txt
+Sorted since spring.
*** End Patch
`,
  },
  { says: 'Nothing leaves the workspace.', args: ['write', '../outside.txt', 'hello'], exit: 2 },
  {
    says: 'What an agent calls, and the answer it gets.',
    args: ['call', 'read', '{"path": "notes.txt"}'],
  },
  { says: 'What was changed, newest first, and by whom.', args: ['changes'] },
  { says: 'The last change, taken back.', args: ['undo'] },
  {
    says: 'A command, as a session; it ends with its own exit code.',
    args: ['exec', '--', 'sh', '-c', 'wc -l < session.jsonl; exit 3'],
    exit: 3,
  },
  {
    says: 'What happens to commands here: the first line comes from the values that decide.',
    args: ['policy', 'explain', 'rm -rf build'],
  },
  {
    says: 'Have them judged; pincer init without flags asks for each step.',
    args: ['init', '--posture', 'judged', '--yes'],
  },
  {
    says: 'What may run without asking, and why not: the character, the rule, the way out.',
    args: ['policy', 'explain', '--allow', '/usr/bin/cat', 'cat notes.txt | head -n 3; rm -rf build'],
    exit: 4,
  },
  {
    says: 'Where commands are judged, the rest waits for a person.',
    args: ['exec', '--', 'git', 'push'],
    exit: 4,
  },
];

/** Commands whose form for people must be asked for in a pipe. */
const ASKED = ['path', 'changes', 'undo', 'policy', 'init'];

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
  const env = { PATH: process.env['PATH'] ?? '', HOME: state, PINCER_STATE_DIR: state, NO_COLOR: '1' };
  /** @param {string[]} args @param {string} [input] */
  const pincer = (args, input = '') =>
    spawnSync(process.execPath, [join(root, 'dist', 'pincer.cjs'), ...args], {
      cwd: folder,
      env,
      encoding: 'utf8',
      input,
    });
  try {
    for (const [name, text] of Object.entries(WORKSPACE)) writeFileSync(join(folder, name), text);
    /** @type {string[]} */
    const ids = [];
    const blocks = STOPS.map(({ says, args, input, exit = 0 }) => {
      const heredoc = input === undefined ? '' : ` <<'END'\n${input}END`;
      const shown = `# ${says}\n$ pincer ${args.map(shellWord).join(' ')}${heredoc}`;
      const human = ASKED.includes(args[0] ?? '') && !args.includes('--raw') ? [...args, '--human'] : args;
      const result = pincer(human, input);
      const printed = `${result.stdout}${result.stderr}`
        .replaceAll(folder, '/…')
        .replaceAll(state, '/home/me')
        .replaceAll(pathToFileURL(root).href, 'file:///home/me/pincer');
      const output = plain(printed.trimEnd(), ids);
      if (result.status !== exit)
        throw new Error(`The tour stopped with exit code ${result.status}.\n${shown}\n${output}`);
      return `${shown}\n${output}`;
    });
    return blocks.join('\n\n');
  } finally {
    pincer(['daemon', 'stop', '--force']);
    rmSync(folder, { recursive: true, force: true });
    rmSync(state, { recursive: true, force: true });
  }
}

/** What differs from run to run, spelled alike: ids of changes in their order, and how long ago. @param {string} text @param {string[]} ids */
function plain(text, ids) {
  return text
    .replaceAll(/\bm[0-9a-z]{11}\b/gu, (id) => {
      if (!ids.includes(id)) ids.push(id);
      return `#${ids.indexOf(id) + 1}`;
    })
    .replaceAll(/ +\d+s {2}/gu, '  now  ')
    .replaceAll(/\b[0-9a-f]{8}\b/gu, '5f0c2a91'); // the short id of an approval
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
