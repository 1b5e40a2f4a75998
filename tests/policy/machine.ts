/** A machine for policy: every bare word is a program in /usr/bin, unless it is listed here. */
import { createHash } from 'node:crypto';
import { judge } from '../../src/policy/judge.ts';
import type { Binary, Judgement, Lookup, Rules } from '../../src/wire/policy.ts';

const LINKS: Readonly<Record<string, string>> = {
  '/usr/bin/sh': '/usr/bin/dash',
  '/usr/bin/awk': '/usr/bin/mawk',
  '/usr/bin/python3': '/usr/bin/python3.11',
  '/usr/bin/npm': '/usr/lib/node_modules/npm/bin/npm-cli.js',
  '/usr/bin/pkill': '/usr/bin/pgrep',
  '/usr/bin/reboot': '/usr/bin/systemctl',
  '/usr/bin/vi': '/usr/bin/vim.basic',
  '/opt/box/ls': '/usr/bin/busybox',
  '/opt/box/sh': '/usr/bin/busybox',
  '/usr/bin/pg_isready': '/usr/share/postgresql-common/pg_wrapper',
  '/usr/bin/pg_dump': '/usr/share/postgresql-common/pg_wrapper',
  '/usr/bin/dropdb': '/usr/share/postgresql-common/pg_wrapper',
  '/bin/ls': '/usr/bin/ls',
  '/tmp/x/head': '/usr/bin/python3.11',
  '/home/u/link': '/home/u/.git/hooks',
  '/lib64/ld-linux-x86-64.so.2': '/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2',
};
const NOWHERE = /^(?:missing|nosuch.*|LS|ls\u00e9|.* .*|)$/;
const FOLDERS = new Set(['/', '/usr', '/lib', '/home/u', '/home/u/sub', '/home/u/link']);
const FILES = /^\/(?:usr\/bin|bin|usr\/local\/bin|opt|tmp\/x|usr\/lib|lib64)\//;

export function binary(path: string): Binary {
  const real = LINKS[path] ?? path;
  return {
    path,
    real,
    identity: { dev: '1', ino: real, size: '1', mtimeNs: '1' },
    writable: real.startsWith('/tmp/'),
    ...(real.startsWith('/usr/') ? { system: true as const } : {}),
  };
}

/** A new one each time, as every judgement has its own. */
export function machine(folder = '/home/u'): Lookup {
  return {
    workspace: () => '/home/u',
    home: () => '/home/u',
    from: machine,
    names: () => ({ names: [] }),
    isFolder: (path) => FOLDERS.has(path),
    placeOf: (path) => LINKS[path] ?? new URL(path, 'file:///').pathname,
    closedTo: (path) => (path.split('/').includes('.git') ? 'git' : undefined),
    leadsOut: () => undefined,
    folders: ['/usr/bin'],
    find(word) {
      if (!word.includes('/')) return NOWHERE.test(word) ? undefined : binary(`/usr/bin/${word}`);
      const path = new URL(word, `file://${folder}/`).pathname;
      return FILES.test(path) && !NOWHERE.test(path.slice(path.lastIndexOf('/') + 1)) ? binary(path) : undefined;
    },
    realPath: (path) => (FILES.test(path) || FOLDERS.has(path) ? (LINKS[path] ?? path) : undefined),
    repositoryAt: () => ({
      settings: [{ name: 'remote.url', subsection: 'origin', value: 'https://example.org/x' }],
      hooks: [],
    }),
    gitUser: () => ({ settings: [] }),
    obeyedByGit: () => undefined,
    textOf: () => undefined,
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
  };
}

export const SAFE = ['cut', 'uniq', 'head', 'tail', 'tr', 'wc'];

export function rules(parts: Partial<Rules> = {}): Rules {
  return {
    allowlist: [],
    deny: [],
    safeBins: [],
    safeBinProfiles: {},
    safeBinTrustedDirs: [],
    strictInlineEval: true,
    ...parts,
  };
}

/** Judges with an allowlist of plain paths; a bare word stands for the program in /usr/bin. */
export function ask(command: string, allowed: readonly string[] = [], safeBins: readonly string[] = []): Judgement {
  const allowlist = allowed.map((name) => ({ pattern: name.startsWith('/') ? name : `/usr/bin/${name}` }));
  return judge(command, rules({ allowlist, safeBins }), machine(), '/home/u');
}

/** A table as text: one case a line, blank lines and lines of `//` left out. */
export function table(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//'));
}
