// @ts-check
/**
 * The wizard of `pincer init` in a real terminal (tmux), once for each posture. `npm run wizard` writes docs/agents/wizard.md
 * from what the terminal shows, and a test holds the page to it.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The page, from the folder of the project. */
export const PAGE = join('docs', 'agents', 'wizard.md');

/** @typedef {{ shows: string, keys: readonly string[] }} Step a text on the screen, and the keys that answer it */
/** @typedef {{ name: string, says: string, steps: readonly Step[] }} Story */

const ENTER = ['Enter'];
const POSTURE = 'How do commands of agents run?';

/** The usual answer to every question but that of the posture. @param {readonly string[]} posture @returns {readonly Step[]} */
function steps(posture) {
  return [
    { shows: 'Which client?', keys: ENTER },
    { shows: 'Which configuration of Claude Code?', keys: ENTER },
    { shows: POSTURE, keys: posture },
    { shows: 'own tools too?', keys: ENTER },
    { shows: 'Write these changes?', keys: ENTER },
    { shows: 'Test it with a harmless command?', keys: ENTER },
  ];
}

/** @type {readonly Story[]} */
export const STORIES = [
  {
    name: 'sandboxed',
    says: 'Commands and file tools run in a sandbox. It is recommended where the probe says that it works.',
    steps: steps(ENTER),
  },
  {
    name: 'judged',
    says: 'Rules decide about commands, and the others ask you. The test asks, and withdraws its question.',
    steps: steps(['Down', 'Enter']),
  },
  {
    name: 'open',
    says: 'Commands run as they are asked for. Nothing is written to the settings.',
    steps: steps(['Down', 'Down', 'Enter']),
  },
];

/** Far more than a busy machine needs. */
const PATIENCE_MS = 60_000;
const LOOK_MS = 50;
const COLUMNS = 100;
/** More lines than the whole wizard has, so that nothing scrolls away. */
const ROWS = 120;

/**
 * A terminal with the wizard in it, in a folder of its own.
 * @param {string} root @param {readonly string[]} [args]
 * @param {{ env?: Readonly<Record<string, string>>, prepare?: (home: string, project: string) => void }} [more] before it starts
 */
export function openWizard(root, args = [], { env: more = {}, prepare } = {}) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pincer-wizard-')));
  const at = (/** @type {string} */ name) => {
    mkdirSync(join(folder, name), { mode: 0o700 });
    return join(folder, name);
  };
  const [home, project, bin, run, tmp] = [at('home'), at('project'), at('bin'), at('run'), at('tmp')];
  symlinkSync(join(root, 'dist', 'pincer.cjs'), join(bin, 'pincer'));
  symlinkSync(process.execPath, join(bin, 'node'));
  // Found on every machine, and started by none of the answers.
  writeFileSync(join(bin, 'claude'), '#!/bin/sh\n', { mode: 0o755 });
  const env = {
    PATH: `${bin}:/usr/bin:/bin`,
    HOME: home,
    LC_ALL: 'C.UTF-8',
    PINCER_STATE_DIR: join(folder, 'state'),
    XDG_RUNTIME_DIR: run,
    TMPDIR: tmp,
    NO_COLOR: '1',
  };
  /** @param {readonly string[]} words */
  const tmux = (...words) => {
    const ran = spawnSync('tmux', ['-S', join(folder, 'tmux'), '-f', '/dev/null', ...words], {
      cwd: project,
      env,
      encoding: 'utf8',
    });
    if (ran.status !== 0) throw new Error(`tmux ${words.join(' ')}: ${ran.stderr}${ran.error?.message ?? ''}`);
    return ran.stdout;
  };
  const screen = () => tmux('capture-pane', '-p').trimEnd();
  prepare?.(home, project);
  const variables = Object.entries(more).map(([name, value]) => `${name}=${value}`);
  tmux(
    'new-session',
    '-d',
    '-x',
    `${COLUMNS}`,
    '-y',
    `${ROWS}`,
    // Ctrl-C may arrive after the program has ended: it must not end the shell, and with it the screen.
    `trap : INT; ${[...variables, 'pincer', 'init', ...args].join(' ')}; echo "exit $?"; trap '' INT; cat`,
  );
  const wizard = {
    home,
    project,
    tmp,
    screen,
    /** @param {readonly string[]} keys */
    type: (keys) => void tmux('send-keys', ...keys),
    /** Waits until the screen has a text. @param {string} text */
    shows: async (text) => {
      const deadline = performance.now() + PATIENCE_MS;
      while (!screen().includes(text)) {
        if (performance.now() > deadline) throw new Error(`the wizard does not show ${text}:\n${screen()}`);
        await pause(LOOK_MS);
      }
    },
    /** The screen when the question is drawn to its end. */
    settled: async () => {
      await wizard.shows('Enter: confirm\n└');
      return wizard.plain();
    },
    /** @param {readonly string[]} words */
    pincer: (...words) =>
      spawnSync(join(bin, 'pincer'), words, { cwd: project, env, encoding: 'utf8', timeout: PATIENCE_MS }),
    /** The screen without what differs from machine to machine. */
    plain: () =>
      screen()
        .replaceAll(project, '/home/me/project')
        .replaceAll(home, '/home/me')
        .replaceAll(pathToFileURL(root).href, 'file:///home/me/pincer')
        .replaceAll(/bubblewrap \d[\w.]* works here, \d+ of \d+/gu, 'bubblewrap N.N works here, N of N')
        .replaceAll(/[ \t]+$/gmu, ''),
    end: () => {
      tmux('kill-server');
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return wizard;
}

/**
 * Plays a story and gives what the terminal shows at its end, and the question about the posture while it is open.
 * @param {string} root @param {Story} story
 */
export async function playStory(root, { steps: all }) {
  const wizard = openWizard(root);
  let question = '';
  try {
    for (const { shows, keys } of all) {
      await wizard.shows(shows);
      if (shows === POSTURE) question = (await wizard.settled()).slice(wizard.plain().indexOf(`◆  ${POSTURE}`));
      wizard.type(keys);
    }
    await wizard.shows('\nexit ');
    return { question, screen: wizard.plain() };
  } finally {
    wizard.end();
  }
}

/**
 * The page.
 * @param {readonly { question: string, screen: string }[]} played in the order of the stories
 */
export function pageOf(played) {
  const parts = STORIES.flatMap(({ name, says }, i) => [
    `## ${name}`,
    says,
    block(`$ pincer init\n${played[i]?.screen}`),
  ]);
  return `${[
    '# The wizard',
    'Written by `npm run wizard` from runs of `pincer init` in a terminal. Each step has a flag: see `pincer init --help`.',
    'The question about commands, where a sandbox works:',
    block(played[0]?.question ?? ''),
    ...parts,
  ].join('\n\n')}\n`;
}

async function writePage() {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const played = [];
  for (const story of STORIES) played.push(await playStory(root, story));
  writeFileSync(join(root, PAGE), pageOf(played));
}

/** @param {string} text */
function block(text) {
  return `\`\`\`\n${text}\n\`\`\``;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await writePage();
