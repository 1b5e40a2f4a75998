/**
 * Parts of a text by which a shell runs more than the commands that can be seen, or makes a name mean another program.
 * The list of plain parts is closed: arithmetic, for one, runs `$(…)` in the value of any variable.
 */
import type { forEachChild, ParameterExpansionPart, Word } from 'unbash';
import { isHarmless } from '../environment-names.ts';

/** Any part of a text. */
export type AnyNode = Parameters<typeof forEachChild>[0];

/** Parts without a meaning of their own: what is in them is looked at. */
const TRANSPARENT: ReadonlySet<string> = new Set(
  (
    'Script Statement CompoundList Elif CaseItem AndOr Pipeline Time Negation Command Redirected If While Case Subshell BraceGroup Function ' +
    'Word Literal Glob SingleQuoted DoubleQuoted AnsiCQuoted SimpleExpansion ExtendedGlob BraceExpansion ' +
    'Redirect HereString HereDoc HereDocDelimiter HereDocBody FileDescriptor ' +
    'TestCommand TestLogical TestNot TestGroup Default Remove Replace Slice CaseModification Names ' +
    'ArithmeticExpansion ArithmeticBinary ArithmeticUnary ArithmeticTernary ArithmeticGroup'
  ).split(' '),
);

/** Operators of `test` and `[[` that only look at files and texts. */
export const PLAIN_UNARY: ReadonlySet<string> = new Set(
  '-a -b -c -d -e -f -g -h -k -n -p -r -s -t -u -w -x -z -G -L -N -O -S'.split(' '),
);
const PLAIN_BINARY = new Set('= == != =~ < > -nt -ot -ef'.split(' '));

/** Why a part of a text may run something that cannot be seen; undefined for a plain one. */
export function hiddenRun(node: AnyNode): string | undefined {
  switch (node.type) {
    case 'CommandExpansion':
      // Only new versions of bash take `${ …; }` for one; to others the text goes on elsewhere.
      if (node.text.startsWith('${')) return `${node.text.slice(0, 2)} …; } depends on the version of the shell`;
      return node.script === undefined ? 'a substitution cannot be read' : undefined;
    case 'ProcessSubstitution':
    case 'ArithmeticCommandExpansion':
      return node.script === undefined ? 'a substitution cannot be read' : undefined;
    case 'ArithmeticWord':
      return /^\d+$/.test(node.value) ? undefined : `the value of ${node.value} is calculated, which can run commands`;
    case 'ParameterExpansion':
      return isPlainExpansion(node) ? undefined : `${node.text} can run commands`;
    case 'Assignment':
      if (node.index !== undefined || node.value.type !== 'Word') return `${node.name} is set as an array`;
      return nameProblem(node.name, node.value.value);
    case 'ArrayValue':
      return undefined; // its assignment was refused
    case 'For':
      return nameProblem(node.name.text, undefined);
    case 'TestUnary':
      return PLAIN_UNARY.has(node.operator) ? undefined : `[[ ${node.operator} … ]] can run commands`;
    case 'TestBinary':
      return PLAIN_BINARY.has(node.operator) ? undefined : `[[ … ${node.operator} … ]] can run commands`;
    default:
      if (node.type === 'Word' && isHidingWord(node)) return 'a word may hold a substitution';
      return TRANSPARENT.has(node.type) ? undefined : `a part of the text (${node.type}) is not looked through`;
  }
}

/** The parts that mean the same to bash, dash and zsh. */
const IN_ANY_SHELL: ReadonlySet<string> = new Set(
  'Script Statement AndOr Pipeline Negation Command Word Literal SingleQuoted DoubleQuoted Redirect FileDescriptor'.split(
    ' ',
  ),
);

const REDIRECTS_IN_ANY_SHELL: ReadonlySet<string> = new Set(['<', '>', '>>', '<&', '>&']);

/** The same for a shell that is not known: nothing but commands with literal words is plain. */
export function hiddenInAnyShell(node: AnyNode): string | undefined {
  const isOther =
    !IN_ANY_SHELL.has(node.type) ||
    (node.type === 'Redirect' && !REDIRECTS_IN_ANY_SHELL.has(node.operator)) ||
    (node.type === 'Pipeline' && node.operators.some((operator) => operator !== '|'));
  return isOther ? `a part of the text (${node.type}) depends on the shell` : hiddenRun(node);
}

/** Whether an expansion only inserts a value: an index, a slice and a transformation are calculated or run. */
function isPlainExpansion({ prefix, index, operation, parameter }: ParameterExpansionPart): boolean {
  if (prefix === '!' || !/^(?:[A-Za-z_]\w*|\d+|[@*#?$!-])$/.test(parameter)) return false;
  if (index !== undefined && !/^(?:\d+|[@*])$/.test(index.text)) return false;
  if (operation === undefined) return true;
  if (operation.type === 'Slice')
    return [operation.offset, operation.length].every((word) => word === undefined || /^ ?-?\d+$/.test(word.text));
  if (operation.type === 'Default')
    return !operation.operator.includes('=') || nameProblem(parameter, undefined) === undefined;
  return ['Remove', 'Replace', 'CaseModification', 'Names'].includes(operation.type);
}

/** A name in capitals may be exported: programs find code and settings by it. Bash has no special name in small letters. */
function nameProblem(name: string, value: string | undefined): string | undefined {
  if (/^[a-z_][a-z0-9_]*$/.test(name)) return undefined;
  return value !== undefined && isHarmless(name, value) ? undefined : `${name} is set in the text`;
}

/** A digit in front of `<(`, and the old spelling `$[…]` of arithmetic, are plain text to the parser. */
function isHidingWord({ parts, text }: Word): boolean {
  return text.includes('$[') || (parts === undefined && /[<>]\(/.test(text));
}
