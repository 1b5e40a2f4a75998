/** What a rule would allow, in words computed from the rule and from the texts that it is bound to. */
import { isInside } from '../../../base/inside.ts';
import { nameOf } from '../../../policy/bindings/obeyed-texts.ts';
import type { CommandRule } from '../../../policy/rules/rule-for-command.ts';
import { baseName } from '../../../policy/programs/names.ts';
import { shownText } from '../../../policy/explain.ts';
import { ABSENT, type AllowlistEntry, type BoundText, type RuleHost } from '../../../wire/policy.ts';

export interface Described {
  readonly agent: string;
  readonly home: string;
  /** The folder whose files the agent may change. */
  readonly workspace: string;
}

export function headLine({ said, below, pattern }: AllowlistEntry, { agent, home }: Described): string {
  const where = below === undefined ? '' : `, below ${pathText(below, home)}`;
  return `${shownText(said ?? pattern)}      ${agent === '*' ? 'all agents' : `agent ${shownText(agent)}`}${where}`;
}

/** One line for each thing that a person should know before they accept. */
export function riskLines(rule: CommandRule, described: Described, where?: RuleHost): readonly string[] {
  const { obeyed, unbindable, entry, binary, args } = rule;
  if (unbindable !== undefined)
    return [
      `runs ${shownText(binary.real)}, and what that runs is not known: ${shownText(unbindable)}`,
      reachLine(where),
      'not bound to anything: later changes do not ask again',
    ];
  if (obeyed === undefined) return plainLines(rule);
  const texts = obeyed.texts.filter(({ sha256 }) => sha256 !== ABSENT);
  if (obeyed.kind === 'remotes') return [remoteLine(args, texts), ...boundLines(rule, described)];
  if (obeyed.kind === 'hooks' && texts.length === 0) return plainLines(rule);
  return [
    `runs project code: ${textsText(obeyed.texts, described)}`,
    ...writableLines(texts, described),
    ...boundLines({ ...rule, entry }, described),
    reachLine(where),
  ];
}

function plainLines({ entry, binary }: CommandRule): readonly string[] {
  const program = shownText(binary.real);
  if (entry.words === undefined)
    return [`runs ${program} with the arguments that its profile accepts, or that are allowed once`];
  if (entry.words.at(-1) === '*') return [`runs ${program} with these words and further ones that its profile accepts`];
  return [`runs ${program} with exactly ${entry.words.length === 0 ? 'no arguments' : 'these arguments'}`];
}

function remoteLine([command = '', ...rest]: readonly string[], texts: readonly BoundText[]): string {
  const urls = texts.filter(({ at = '' }) => /^remote\..*\.(?:push)?url$/u.test(at));
  const names = urls.map(
    ({ at = '', text = '' }) => `${shownText(at.split('.').slice(1, -1).join('.'))} (${shownText(text)})`,
  );
  const whom = names.length === 0 ? 'the remotes of the repository: none yet' : names.join(', ');
  const options = `options: ${rest.length === 0 ? 'none' : shownText(rest.join(' '))}`;
  if (command !== 'push') return `contacts ${whom}; ${options}`;
  const isForce = rest.some((word) => /^(?:--force|-[a-z]*f|\+)/u.test(word));
  return `sends commits to ${whom}; ${options}; ${isForce ? 'it may replace commits (force)' : 'force is not included'}`;
}

/** `package.json, scripts.test = "vitest run" (no pretest, no posttest)`. */
function textsText(texts: readonly BoundText[], described: Described): string {
  const files = [...new Set(texts.filter(({ sha256 }) => sha256 !== ABSENT).map(({ file }) => file))];
  return files
    .map((file) => {
      const parts = texts.filter((one) => one.file === file && one.at !== undefined);
      const values = parts.flatMap(({ at = '', text, sha256 }) =>
        sha256 === ABSENT
          ? []
          : [`${shownText(nameOf(at))} = ${text === undefined ? '(long)' : shownText(JSON.stringify(text))}`],
      );
      const missing = parts
        .filter(({ sha256 }) => sha256 === ABSENT)
        .map(({ at = '' }) => `no ${shownText(nameOf(at).split('.').at(-1) ?? '')}`);
      const rest = missing.length === 0 ? '' : ` (${missing.join(', ')})`;
      return [placeText(file, described), ...values].join(', ') + rest;
    })
    .join('; ');
}

function writableLines(texts: readonly BoundText[], { workspace }: Described): readonly string[] {
  const inside = [...new Set(texts.map(({ file }) => file))].filter((file) => isInside(file, workspace));
  if (inside.length === 0) return [];
  return [
    `${inside.length === 1 ? 'that file is' : 'these files are'} inside the agent's workspace: the agent can change what runs`,
  ];
}

function boundLines({ entry, obeyed, binary }: CommandRule, described: Described): readonly string[] {
  const not = obeyed === undefined || obeyed.notBound === '' ? '' : `; not to ${obeyed.notBound}`;
  if (entry.bound === undefined) return [`not bound to these texts: later changes do not ask again`];
  const parts = entry.bound.map(({ file, at, sha256 }) =>
    at === undefined ? `${placeText(file, described)}${sha256 === ABSENT ? ' (none)' : ''}` : shownText(nameOf(at)),
  );
  const none = obeyed?.kind === 'remotes' && parts.length === 0 ? ['no remote'] : [];
  return [`bound to: ${[shownText(baseName(binary.path)), ...new Set(parts), ...none].join(', ')}${not}`];
}

function reachLine(where: RuleHost | undefined): string {
  return where === 'sandbox'
    ? 'in the sandbox it can read the workspace, and no other file of yours'
    : 'on this machine it can read your files and use the network';
}

/** Relative to the workspace. */
function placeText(path: string, { workspace, home }: Described): string {
  return isInside(path, workspace) ? shownText(path.slice(workspace.length + 1)) : pathText(path, home);
}

/** With `~` for the home folder. */
export function pathText(path: string, home: string): string {
  return shownText(path === home ? '~' : isInside(path, home) ? `~${path.slice(home.length)}` : path);
}
