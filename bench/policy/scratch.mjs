// @ts-check
/** A scratch project, and a machine on which the programs of a corpus exist. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The folder that stands for the workspace in a corpus. */
const WORKSPACE = '/w/project';
/** The folder of other projects in a corpus. */
const OTHERS = '/w/other';
const PATH = '/usr/local/bin:/usr/bin:/bin';
/** A name where a shell looks for a program. */
const COMMAND_NAMES =
  /(?:^|[|;&(\n]|\$\(|\b(?:do|then|else|sudo|time|env|xargs)\s)\s*(?:[A-Z_]+=\S*\s+)*([A-Za-z][\w.+-]*)/gu;

/** @typedef {{ root: string, project: string, home: string }} Scratch */

/** @returns {Scratch} */
export function makeScratch() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pincer-policy-')));
  const project = join(root, 'project');
  const home = join(root, 'home');
  for (const folder of ['src', 'tests', 'docs']) mkdirSync(join(project, folder), { recursive: true });
  mkdirSync(home);
  writeFileSync(join(project, 'README.md'), '# project\n');
  writeFileSync(join(project, 'src', 'main.ts'), 'export {};\n');
  writeFileSync(join(project, 'Makefile'), 'all:\n\ttrue\n');
  const scripts = Object.fromEntries(['test', 'build', 'lint', 'dev', 'start', 'format'].map((name) => [name, 'true']));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'project', scripts }));
  git(project, home, 'init', '-q');
  git(project, home, 'add', '.');
  git(project, home, '-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', 'first');
  return { root, project, home };
}

/** @param {string} cwd @param {string} home @param {readonly string[]} args */
export function git(cwd, home, ...args) {
  execFileSync('/usr/bin/git', args, { cwd, env: { PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' }, stdio: 'ignore' });
}

/** The command with the scratch project in place of the corpus's workspace, and the folders that it enters. @param {string} text @param {Scratch} scratch */
export function placed(text, { project, root }) {
  const command = text.replaceAll(WORKSPACE, project).replaceAll(OTHERS, join(root, 'other'));
  for (const [folder] of command.matchAll(new RegExp(`${root}/other/[\\w.-]+`, 'gu')))
    mkdirSync(folder, { recursive: true });
  for (const [, folder = ''] of command.matchAll(/\bcd\s+["']?([\w./-]+)/gu)) {
    const path = folder.startsWith('/') ? folder : join(project, folder);
    if (path.startsWith(`${project}/`)) mkdirSync(path, { recursive: true });
  }
  return command;
}

/**
 * A lookup for one judgement. Programs that the corpus names and this machine does not have are found in /usr/bin.
 * @param {typeof import('./parts.ts')} parts @param {Scratch} scratch @param {ReadonlySet<string>} names
 */
export function machine({ createLookup }, { project, home }, names) {
  const options = { path: PATH, cwd: project, workspace: project, env: { HOME: home } };
  const real = createLookup(options);
  /** @param {import('../../src/wire/policy.ts').Lookup} lookup @returns {import('../../src/wire/policy.ts').Lookup} */
  const around = (lookup) => ({
    ...lookup,
    from: (folder) => around(lookup.from(folder)),
    find(word) {
      const found = lookup.find(word);
      const name = /^\/(?:usr\/)?bin\/([\w.+-]+)$/u.exec(word)?.[1] ?? word;
      return found ?? (names.has(name) ? installed(name) : undefined);
    },
  });
  return around(real);
}

/** @param {string} name */
function installed(name) {
  const path = join('/usr/bin', name);
  const identity = { dev: '1', ino: path, size: '1', mtimeNs: '1' };
  return { path, real: path, identity, writable: false, system: /** @type {const} */ (true) };
}

/** Names of programs in commands. @param {readonly string[]} commands @returns {ReadonlySet<string>} */
export function namesIn(commands) {
  return new Set(commands.flatMap((command) => [...command.matchAll(COMMAND_NAMES)].map(([, name = '']) => name)));
}

/** The folder that a path is in. @param {string} path */
export function folderOf(path) {
  return dirname(path);
}
