/** Folders and files that settings of git name, beside the files that they include. */
import { normalize } from 'node:path';
import type { GitSetting } from './git/git-config.ts';
import { expanded } from './git/git-settings.ts';
import { obeyedAt } from './match.ts';
import { wordsIn } from './named.ts';
import { entryAt } from './reading.ts';

/** Git takes all that is in these folders: hooks, templates of repositories with their hooks, and its own programs. */
const FOLDERS: ReadonlySet<string> = new Set([
  'core.hookspath',
  'init.templatedir',
  'environment.git_template_dir',
  'environment.git_exec_path',
]);
/** Values that name places of work, addresses and persons, and what is read in another way. */
const NO_FILES =
  /^(?:safe\..*|maintenance\.repo|core\.worktree|remote\.(?:url|pushurl|fetch|push)|url\..*|branch\..*|submodule\..*|user\..*|include(?:if)?\.path|environment\.git_(?:dir|common_dir|work_tree|index_file|.*object_director.*|ceiling_directories|prefix|(?:author|committer)_.*))$/u;
/** Settings whose programs git starts, some of them when it is only asked for the state of the files. */
const STARTED =
  /^(?:core\.(?:fsmonitor|sshcommand|pager|editor|askpass)|sequence\.editor|diff\.external|alias\..*|.*\.(?:clean|smudge|process|driver|textconv|command|cmd|helper|program))$/u;

/** Lists and texts: nothing in them is started. */
const DATA =
  /^(?:alias\..*|blame\.ignorerevsfile|commit\.template|core\.(?:excludesfile|attributesfile)|diff\.orderfile|gpg\.allowedsignersfile|mailmap\.file)$/u;

/** Lines of programs in settings. */
export function startedIn(settings: readonly GitSetting[]): string {
  return textOf(settings.filter(({ name }) => STARTED.test(name)));
}

/** Folders whose files git obeys, from the folder that it works in; without one, those that are named from the root or a home. */
export function foldersNamed(settings: readonly GitSetting[], top?: string): readonly string[] {
  const values = settings.filter(({ name }) => FOLDERS.has(name)).map(({ value }) => value);
  return values.flatMap((value) => placesFrom(top, value));
}

/**
 * Files that git reads or starts by the word of settings, whether they exist or not. Any value may name one, so the list of
 * those that do not is closed. From the folder that git works in, a word without a slash counts where it names a file: mostly it is
 * none. Undefined where there is too much text.
 */
export function filesNamed(settings: readonly GitSetting[], top?: string): readonly string[] | undefined {
  const naming = settings.filter(({ name }) => !FOLDERS.has(name) && !NO_FILES.test(name));
  const words = wordsIn(textOf(naming).replaceAll(/\$(?:HOME\b|\{HOME\})/gu, '~'));
  if (words === 'too-many') return undefined;
  const whole = naming.map(({ value }) => value);
  return [...new Set([...whole, ...words])].flatMap((word) =>
    placesFrom(top, word).filter((path) => {
      const entry = entryAt(path);
      // A folder is no program and no file of settings.
      if (entry === 'folder' || (entry === 'missing' && !word.includes('/'))) return false;
      // Project code is for the agent to change, whoever starts it.
      return FROM_ROOT.test(word) || obeyedAt(normalize(word).split('/'))?.class !== 3;
    }),
  );
}

/**
 * The files among those by which git starts a program without being asked for one: what a line of a program names, and of other
 * settings what is named from the root or a home, or is there. Undefined where there is too much text.
 */
export function filesStarted(settings: readonly GitSetting[], top?: string): readonly string[] | undefined {
  const used = settings.filter(({ name }) => !DATA.test(name));
  const started = filesNamed(
    used.filter(({ name }) => STARTED.test(name)),
    top,
  );
  const fromRoot = filesNamed(used);
  const others = top === undefined ? [] : filesNamed(used, top);
  if (started === undefined || fromRoot === undefined || others === undefined) return undefined;
  const isThere = (path: string): boolean => entryAt(path) !== 'missing';
  const within = (path: string): string => path.slice((top?.length ?? 0) + 1);
  // The line of a program is also taken for one name, which only a file that is there has.
  const isName = (path: string): boolean => /^[\w./@+-]+$/u.test(within(path));
  return [
    ...started.filter((path) => isThere(path) || isName(path)),
    ...fromRoot,
    ...others.filter((path) => isThere(path) && within(path).includes('/')),
  ];
}

const FROM_ROOT = /^(?:\/|~\/|~$)/u;

function placesFrom(top: string | undefined, word: string): readonly string[] {
  if (word === '' || /[\0\n]/u.test(word) || (top === undefined && !FROM_ROOT.test(word))) return [];
  return expanded(top ?? '', word);
}

function textOf(settings: readonly GitSetting[]): string {
  return [...new Set(settings.map(({ value }) => value))].join('\n');
}
