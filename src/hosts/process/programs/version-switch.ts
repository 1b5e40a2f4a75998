/** Version managers: their programs start another one, which files of the project choose. */
import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readFile } from '../../obeyed/reading.ts';

const MANAGERS = [
  'rustup',
  'corepack',
  'volta',
  'volta-shim',
  'asdf',
  'mise',
  'rtx',
  'pyenv',
  'rbenv',
  'nodenv',
  'goenv',
  'jenv',
  'proto',
];
const STARTED = new RegExp(`(?:^|[\\s/"'=])(${MANAGERS.join('|')})(?:[\\s/"']|$)`, 'u');
const FIRST_BYTES = 4096;

/** The version manager that a program is started through; undefined where there is none. */
export function versionSwitchOf(path: string, real: string): string | undefined {
  return byPlace(path) ?? byPlace(real) ?? bySibling(real) ?? byScript(real);
}

/** `…/bin/rustup`, `…/.asdf/shims/node`, `…/node_modules/corepack/dist/yarn.js`. */
function byPlace(path: string): string | undefined {
  const names = path.split('/');
  if (names.includes('corepack')) return 'corepack';
  if (names.at(-2) === 'shims')
    return MANAGERS.find((name) => names.includes(`.${name}`) || names.includes(name)) ?? 'shims';
  const name = names.at(-1) ?? '';
  return MANAGERS.includes(name) ? name : undefined;
}

/** One file with many names: every tool beside rustup is rustup. */
function bySibling(real: string): string | undefined {
  const stats = statSync(real, { throwIfNoEntry: false });
  if (stats === undefined || stats.nlink === 1) return undefined;
  return MANAGERS.filter((name) => name !== basename(real)).find((name) => {
    const other = statSync(join(dirname(real), name), { throwIfNoEntry: false });
    return other?.ino === stats.ino && other.dev === stats.dev;
  });
}

/** A short script that starts a manager. */
function byScript(real: string): string | undefined {
  const start = readFile(real, FIRST_BYTES)?.toString('latin1');
  if (start?.startsWith('#!') !== true) return undefined;
  return STARTED.exec(start.slice(start.indexOf('\n')))?.[1];
}
