/** Folders and files that git settings name, other than included files. */
import { normalize } from 'node:path';
import type { GitSetting } from './git/git-config.ts';
import { expanded } from './git/git-settings.ts';
import { obeyedAt } from './match.ts';
import { wordsIn } from './named.ts';
import { entryAt } from './reading.ts';

/** Git obeys every file in these folders: hooks, repository templates with their hooks, and its own programs. */
const FOLDERS: ReadonlySet<string> = new Set([
  'core.hookspath',
  'init.templatedir',
  'environment.git_template_dir',
  'environment.git_exec_path',
]);
/** Settings whose values are work trees, URLs or persons, or are read elsewhere. */
const NO_FILES =
  /^(?:safe\..*|maintenance\.repo|core\.worktree|remote\.(?:url|pushurl|fetch|push)|url\..*|branch\..*|submodule\..*|user\..*|include(?:if)?\.path|environment\.git_(?:dir|common_dir|work_tree|index_file|.*object_director.*|ceiling_directories|prefix|(?:author|committer)_.*))$/u;
/** Settings with programs that git starts, some of them at a plain `git status`. */
const STARTED =
  /^(?:core\.(?:fsmonitor|sshcommand|pager|editor|askpass)|sequence\.editor|diff\.external|alias\..*|.*\.(?:clean|smudge|process|driver|textconv|command|cmd|helper|program))$/u;

/** Lists and texts: git starts nothing in them. */
const DATA =
  /^(?:alias\..*|blame\.ignorerevsfile|commit\.template|core\.(?:excludesfile|attributesfile)|diff\.orderfile|gpg\.allowedsignersfile|mailmap\.file)$/u;

/** The command lines in settings, as one text. */
export function programLines(settings: readonly GitSetting[]): string {
  return valuesText(settings.filter(({ name }) => STARTED.test(name)));
}

/** Folders whose files git obeys, resolved from `top`; without it, only absolute paths and those in a home. */
export function foldersNamed(settings: readonly GitSetting[], top?: string): readonly string[] {
  const values = settings.filter(({ name }) => FOLDERS.has(name)).map(({ value }) => value);
  return values.flatMap((value) => resolvePaths(top, value));
}

/**
 * Files that git reads or starts because of settings, whether they exist or not. Any value may name a file, so only the
 * settings in NO_FILES are excluded. A word without a slash counts only where such a file exists. Undefined where there is too
 * much text.
 */
export function filesNamed(settings: readonly GitSetting[], top?: string): readonly string[] | undefined {
  const naming = settings.filter(({ name }) => !FOLDERS.has(name) && !NO_FILES.test(name));
  const words = wordsIn(valuesText(naming).replaceAll(/\$(?:HOME\b|\{HOME\})/gu, '~'));
  if (words === 'too-many') return undefined;
  const whole = naming.map(({ value }) => value);
  return [...new Set([...whole, ...words])].flatMap((word) =>
    resolvePaths(top, word).filter((path) => {
      const entry = entryAt(path);
      // A folder is neither a program nor a settings file.
      if (entry === 'folder' || (entry === 'missing' && !word.includes('/'))) return false;
      // The agent may change project code, whichever program starts it.
      return FROM_ROOT.test(word) || obeyedAt(normalize(word).split('/'))?.class !== 3;
    }),
  );
}

/**
 * The named files that make git start a program: those in command lines, and of other settings those with an absolute path or
 * in a home, or that exist. Undefined where there is too much text.
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
  const exists = (path: string): boolean => entryAt(path) !== 'missing';
  const within = (path: string): string => path.slice((top?.length ?? 0) + 1);
  // A whole command line is also tried as one file name, which counts only where that file exists.
  const isName = (path: string): boolean => /^[\w./@+-]+$/u.test(within(path));
  return [
    ...started.filter((path) => exists(path) || isName(path)),
    ...fromRoot,
    ...others.filter((path) => exists(path) && within(path).includes('/')),
  ];
}

const FROM_ROOT = /^(?:\/|~\/|~$)/u;

function resolvePaths(top: string | undefined, word: string): readonly string[] {
  if (word === '' || /[\0\n]/u.test(word) || (top === undefined && !FROM_ROOT.test(word))) return [];
  return expanded(top ?? '', word);
}

function valuesText(settings: readonly GitSetting[]): string {
  return [...new Set(settings.map(({ value }) => value))].join('\n');
}
