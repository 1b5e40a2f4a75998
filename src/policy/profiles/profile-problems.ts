/** What is wrong with a profile that its schema accepts: an option of it could never match, or would match by accident. */
import type { Profile, SubcommandProfile } from '../../wire/profile.ts';

const OPTION: Readonly<Record<Profile['grammar'], RegExp>> = {
  getopt: /^(?:-[^\s=-][^\s=]*|--[^\s=-][^\s=]*)$/,
  posix: /^(?:-[^\s=-][^\s=]*|--[^\s=-][^\s=]*)$/,
  git: /^(?:-[^\s=-][^\s=]*|--[^\s=-][^\s=]*)$/,
  goflag: /^-[^\s=-][^\s=]*$/,
  words: /^[^\s=]+$|^=$|^!=$|^==$/,
  plain: /^(?!)/,
};
/** These are never options of their own. */
const NEVER = new Set(['-', '--', '']);

export function profileProblems(profile: Profile): readonly string[] {
  const of = (one: SubcommandProfile, at: string): readonly string[] =>
    problemsOf(one, one.grammar ?? profile.grammar).map((problem) => `${at}${problem}`);
  return [
    ...of(profile, ''),
    ...Object.entries(profile.subcommands ?? {}).flatMap(([name, one]) => [
      ...(/^\S+(?: \S+)?$/.test(name) && !name.startsWith('-')
        ? []
        : [`the subcommand ${JSON.stringify(name)} is not one or two words`]),
      ...of(one, `${name}: `),
    ]),
  ];
}

function problemsOf(one: SubcommandProfile, grammar: Profile['grammar']): readonly string[] {
  const { flags = [], valued = {}, optional = {}, operands = [], operandsWith = {}, classWith = {} } = one;
  const options = [...flags, ...Object.keys(valued), ...Object.keys(optional)];
  const listed = new Set(options);
  const conditions = [
    ...Object.keys(operandsWith),
    ...Object.keys(classWith),
    ...(one.requires ?? []),
    ...(one.follows ?? []),
    ...(one.listsWith ?? []),
    ...(one.listsNotWith ?? []),
  ];
  return [
    ...options
      .filter((name) => NEVER.has(name) || !OPTION[grammar].test(name))
      .map((name) => `${JSON.stringify(name)} is not an option that the grammar ${grammar} can match`),
    ...options.filter((name, i) => options.indexOf(name) !== i).map((name) => `${name} is listed twice`),
    ...(grammar === 'words' ? Object.keys(optional) : []).map(
      (name) => `${name}: the grammar words has no optional values`,
    ),
    ...conditions
      .filter((name) => !listed.has(name))
      .map((name) => `${name} is a condition, and is not listed as an option`),
    ...[operands, ...Object.values(operandsWith)]
      .filter((kinds) => kinds.filter((kind) => kind.endsWith('*')).length > 1)
      .map((kinds) => `more than one kind of ${kinds.join(', ')} may repeat`),
  ];
}
