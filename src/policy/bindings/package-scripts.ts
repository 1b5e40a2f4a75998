/** What the scripts of package.json run, and the settings files that the package managers read before. */
import type { BoundText, Lookup } from '../../wire/policy.ts';
import { type ObeyedTexts, fileText, folderOf, nearestFile, textIn, Unbindable, wholeFile } from './found-texts.ts';

interface PackageManager {
  /** Words before the name of a script. */
  readonly run: readonly string[];
  /** Commands that run scripts, and which. */
  readonly scripts: Readonly<Record<string, readonly string[]>>;
  /** Commands of its own; any other first word is a script. Absent: it runs scripts only after `run`. */
  readonly own?: ReadonlySet<string>;
  /** Files that can name another shell or load code. */
  readonly settings: readonly string[];
  readonly lock: string;
}

const INSTALL = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare'];
const LIFE = { test: ['test'], start: ['start'], stop: ['stop'], restart: ['restart', 'stop', 'start'] };
const OWN =
  'add audit bin cache config create dlx exec import info init link list licenses login logout ls outdated pack patch publish remove root ' +
  'self-update set setup store unlink up update upgrade version view why workspace workspaces x node npm plugin constraints dedupe global deploy fetch rebuild server env';

const MANAGERS: Readonly<Record<string, PackageManager>> = {
  npm: {
    run: ['run', 'run-script', 'rum', 'urn'],
    scripts: { ...LIFE, t: ['test'], tst: ['test'], ci: INSTALL, install: INSTALL, i: INSTALL },
    settings: ['.npmrc'],
    lock: 'package-lock.json',
  },
  pnpm: {
    run: ['run', 'run-script'],
    scripts: { ...LIFE, t: ['test'], install: INSTALL, i: INSTALL },
    own: new Set(OWN.split(' ')),
    settings: ['.npmrc', '.pnpmfile.cjs', 'pnpm-workspace.yaml'],
    lock: 'pnpm-lock.yaml',
  },
  yarn: {
    run: ['run'],
    scripts: { ...LIFE, install: INSTALL },
    own: new Set(OWN.split(' ')),
    settings: ['.yarnrc.yml', '.yarnrc', '.npmrc'],
    lock: 'yarn.lock',
  },
  bun: {
    run: ['run'],
    scripts: { install: INSTALL, i: INSTALL },
    settings: ['bunfig.toml', '.npmrc'],
    lock: 'bun.lock',
  },
};

/** Options that change neither the script nor the folder. */
const PLAIN = new Set(['-s', '--silent', '--if-present', '--quiet', '-q']);

export function isPackageManager(name: string): boolean {
  return Object.hasOwn(MANAGERS, name);
}

/** Undefined for other programs and for commands that run no script of the project. */
export function packageScripts(
  names: ReadonlySet<string>,
  args: readonly string[],
  folder: string,
  lookup: Lookup,
): ObeyedTexts | undefined {
  const name = [...names].find((one) => Object.hasOwn(MANAGERS, one));
  if (name === undefined) return undefined;
  const manager = MANAGERS[name]!;
  const scripts = scriptsOf(manager, args);
  if (scripts === undefined) return undefined;
  const file = nearestFile(folder, 'package.json', lookup);
  const texts = expanded(scripts).map((script) => scriptText(file, script, lookup));
  const settings = manager.settings.map((one) => wholeFile(nearestFile(folderOf(file), one, lookup), lookup));
  const isInstall = scripts === INSTALL;
  const lock = isInstall ? [wholeFile(nearestFile(folderOf(file), manager.lock, lookup), lookup)] : [];
  return {
    kind: 'package-scripts',
    texts: [...texts, ...lock, ...settings],
    notBound: isInstall
      ? 'the scripts of the packages that it installs'
      : 'the files that the script uses, such as tests',
  };
}

/** The scripts that a command runs, without those before and after them. */
function scriptsOf({ run, scripts, own }: PackageManager, args: readonly string[]): readonly string[] | undefined {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const before = args.slice(0, end);
  const words = before.filter((word) => !PLAIN.has(word));
  const [command, script] = words;
  if (command === undefined || command.startsWith('-')) return undefined;
  const option = words.find((word) => word.startsWith('-'));
  const found = run.includes(command)
    ? script === undefined || script.startsWith('-')
      ? undefined
      : [script]
    : Object.hasOwn(scripts, command)
      ? scripts[command]
      : own === undefined || own.has(command)
        ? undefined
        : [command];
  if (found !== undefined && option !== undefined)
    throw new Unbindable(`the option ${option} may choose another package.json or another script`);
  return found;
}

function expanded(scripts: readonly string[]): readonly string[] {
  return scripts === INSTALL ? scripts : scripts.flatMap((script) => [script, `pre${script}`, `post${script}`]);
}

function scriptText(file: string, script: string, lookup: Lookup): BoundText {
  const found = fileText(file, lookup);
  const value = found === undefined ? undefined : scriptIn(found.text, file, script);
  return textIn(file, `/scripts/${script.replaceAll('~', '~0').replaceAll('/', '~1')}`, value, lookup);
}

function scriptIn(text: string, file: string, script: string): string | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\ufeff/u, ''));
  } catch {
    throw new Unbindable(`${file} is not JSON`);
  }
  const scripts = memberOf(json, 'scripts');
  const value = memberOf(scripts, script);
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
}

function memberOf(json: unknown, name: string): unknown {
  return typeof json === 'object' && json !== null && Object.hasOwn(json, name)
    ? (json as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
