/**
 * Effects of the settings of the user and the machine, and of variables, on git in a shell that pincer does not start: nothing
 * is forced there. The user's own programs are trusted where they replace one that git starts anyway. A setting that may start
 * another program, or enter another repository, needs approval.
 */
import type { GitUserFacts, RepositorySetting } from '../../wire/policy.ts';
import { type Finding, projectCode } from './finding.ts';
import { isNetworkAddress } from './git-remotes.ts';
import { fullName, unusualSetting } from './git-settings.ts';

/** Settings that start nothing, or only with commands that need approval anyway. */
const HARMLESS =
  /^(?:(?:alias|pager|column|color|advice|help|delta|interactive|author|committer|user|rerere|mergetool|difftool|push|http|gui|guitool|github|hub|versionsort|i18n|notes|blame|grep|stash|apply|checkout|clean|transfer|receive|pack|index|feature|maintenance|man|browser|web|sendemail|safe|am|ghq|diff-so-fancy|bash)\..*|lfs\.(?!(?:.*\.)?(?:customtransfer|standalonetransferagent)).*|trailer\.(?:key|where|ifexists|ifmissing|separators)|format\.(?:signoff|from|headers|numbered|suffix|thread|to|cc|subjectprefix|coverletter|useautobase)|gc\.(?!recentobjectshook).*|commit\.(?:template|verbose|cleanup|status|gpgsign)|tag\.(?:gpgsign|sort|forcesignannotated)|gpg\.(?:format|mintrustlevel|allowedsignersfile)|core\.(?:excludesfile|attributesfile|whitespace|usebuiltinfsmonitor|fscache|pager|multipackindex|commitgraph)|rebase\.(?:stat|reschedulefailedexec|instructionformat|missingcommitscheck|abbreviatecommands|forkpoint)|merge\.(?:tool|guitool|log|branchdesc|renamelimit|autostash|directoryrenames)|diff\.(?:tool|guitool|wserrorhighlight|colormovedws|indentheuristic|relative|orderfile|interhunkcontext|statgraphwidth|statnamewidth|renamelimit|suppressblankempty|dirstat)|log\.(?:mailmap|graphcolors|initialdecorationset|excludedecoration|showroot|diffmerges)|mailmap\..*|fetch\.(?:all|output|negotiationalgorithm|showforcedupdates|fsckobjects)|branch\.sort|submodule\.fetchjobs|status\.(?:aheadbehind|displaycommentprefix|relativepaths|renamelimit|renames|showstash)|protocol\.version|ssh\.variant|worktree\.guessremote|include(?:if)?\.path|environment\.git_(?:(?:author|committer)_(?:name|email|date)|terminal_prompt|optional_locks|config_(?:global|system|nosystem)|merge_autoedit|advice|pager_in_use|ssl_.*|proxy_ssl_.*|http_.*|curl_.*|ps1_.*|lfs_skip_smudge))$/u;

/** Programs that replace one that git starts in any case. */
const REPLACED_PROGRAMS =
  /^(?:core\.(?:editor|askpass|sshcommand)|sequence\.editor|gpg\.program|credential\..*|environment\.(?:git_(?:editor|sequence_editor|pager|askpass|ssh|ssh_command|ssh_variant)|pager|editor|visual|ssh_askpass))$/u;

/** Values that make a setting harmless. */
const HARMLESS_VALUES: Readonly<Record<string, RegExp>> = {
  'core.fsmonitor': /^(?:true|false|yes|no|on|off|0|1|)$/iu,
  'diff.submodule': /^short$/u,
  'diff.ignoresubmodules': /^all$/u,
  'submodule.recurse': /^(?:false|no|off|0|)$/iu,
  'status.submodulesummary': /^(?:false|no|off|0|)$/iu,
  'log.showsignature': /^(?:false|no|off|0|)$/iu,
  'format.pretty': /^(?!.*%G)/su,
  'filter.clean': /^git-lfs clean -- %f$/u,
  'filter.smudge': /^git-lfs smudge (?:--skip )?-- %f$/u,
  'filter.process': /^git-lfs filter-process(?: --skip)?$/u,
};

/** Settings that only affect new repositories. */
const NEW_REPOSITORY_SETTINGS = new Set(['init.templatedir', 'environment.git_template_dir']);
const CREATING_REPOSITORIES = new Set(['init', 'clone']);

/** Why a command in another shell may start a program because of the user's settings. */
export function userFinding(
  command: string,
  word: number,
  { settings, unreadable }: GitUserFacts,
): Finding | undefined {
  if (command === 'version') return undefined;
  if (unreadable !== undefined) return projectCode(word, `${unreadable}, so git may run any program`);
  const unusual = settings.find((setting) => !isHarmless(setting, command));
  return unusual === undefined
    ? undefined
    : projectCode(
        word,
        `${shownName(unusual)} of the user is not known to be harmless in a shell that pincer does not start: git ${command} may run a program because of it`,
      );
}

function isHarmless(setting: RepositorySetting, command: string): boolean {
  const { name, subsection, value } = setting;
  if (Object.hasOwn(HARMLESS_VALUES, name)) return HARMLESS_VALUES[name]!.test(value);
  if (name.startsWith('pretty.')) return HARMLESS_VALUES['format.pretty']!.test(value);
  if (NEW_REPOSITORY_SETTINGS.has(name)) return !CREATING_REPOSITORIES.has(command);
  if (REPLACED_PROGRAMS.test(name)) return namesNoRelativePath(value);
  if (name === 'url.insteadof' || name === 'url.pushinsteadof') return isNetworkAddress(`${subsection ?? ''}x`);
  return HARMLESS.test(name) || unusualSetting([setting], () => false) === undefined;
}

/** A shell word: letters, escapes and quoted strings. */
const WORD = /(?:\\.|"(?:\\.|[^"\\])*"|'[^']*'|[^\s|;&()"'\\])+/gsu;

/** A word with a slash must start at the root or the home: a relative path would be a file of the current folder. */
function namesNoRelativePath(value: string): boolean {
  const words = (value.match(WORD) ?? []).map((word) => word.replaceAll(/["'\\]/gu, ''));
  return words.every((word) => !word.includes('/') || /^!?(?:-{0,2}[\w-]+=)?[/~]/u.test(word));
}

function shownName(setting: RepositorySetting): string {
  const [, variable] = /^environment\.(.*)$/u.exec(setting.name) ?? [];
  return variable === undefined ? `the setting ${fullName(setting)}` : `the variable ${variable.toUpperCase()}`;
}
