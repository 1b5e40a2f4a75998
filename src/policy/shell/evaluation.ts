/**
 * Syntax by which a shell runs more than the visible commands, or makes a name mean another program. The list of harmless
 * syntax is closed: even arithmetic runs `$(…)` in the value of a variable.
 */
import type { forEachChild, ParameterExpansionPart, Word } from 'unbash';
import { isHarmless } from '../environment-names.ts';

export type AnyNode = Parameters<typeof forEachChild>[0];

/** Nodes without an effect of their own: their children are visited. */
const TRANSPARENT: ReadonlySet<string> = new Set(
  (
    'Script Statement CompoundList Elif CaseItem AndOr Pipeline Time Negation Command Redirected If While Case Subshell BraceGroup Function ' +
    'Word Literal Glob SingleQuoted DoubleQuoted AnsiCQuoted SimpleExpansion ExtendedGlob BraceExpansion ' +
    'Redirect HereString HereDoc HereDocDelimiter HereDocBody FileDescriptor ' +
    'TestCommand TestLogical TestNot TestGroup Default Remove Replace Slice CaseModification Names ' +
    'ArithmeticExpansion ArithmeticBinary ArithmeticUnary ArithmeticTernary ArithmeticGroup'
  ).split(' '),
);

/** Operators of `test` and `[[` that only inspect files and strings. */
export const PLAIN_UNARY: ReadonlySet<string> = new Set(
  '-a -b -c -d -e -f -g -h -k -n -p -r -s -t -u -w -x -z -G -L -N -O -S'.split(' '),
);
const PLAIN_BINARY = new Set('= == != =~ < > -nt -ot -ef'.split(' '));

/** Why a node may run something invisible; undefined for a harmless one. */
export function whyHidden(node: AnyNode): string | undefined {
  switch (node.type) {
    case 'CommandExpansion':
      // Only recent versions of bash run `${ …; }` as a substitution; others end the text elsewhere.
      if (node.text.startsWith('${')) return `${node.text.slice(0, 2)} …; } depends on the version of the shell`;
      return node.script === undefined ? 'a substitution cannot be read' : undefined;
    case 'ProcessSubstitution':
    case 'ArithmeticCommandExpansion':
      return node.script === undefined ? 'a substitution cannot be read' : undefined;
    case 'ArithmeticWord':
      return /^\d+$/.test(node.value) ? undefined : `the value of ${node.value} is evaluated, which can run commands`;
    case 'ParameterExpansion':
      return isPlainExpansion(node) ? undefined : `${node.text} can run commands`;
    case 'Assignment':
      if (node.index !== undefined || node.value.type !== 'Word') return `${node.name} is set as an array`;
      return nameProblem(node.name, node.value.value);
    case 'ArrayValue':
      return undefined; // its assignment is refused
    case 'For':
      return nameProblem(node.name.text, undefined);
    case 'TestUnary':
      return PLAIN_UNARY.has(node.operator) ? undefined : `[[ ${node.operator} … ]] can run commands`;
    case 'TestBinary':
      return PLAIN_BINARY.has(node.operator) ? undefined : `[[ … ${node.operator} … ]] can run commands`;
    default:
      if (node.type === 'Word' && isHidingWord(node)) return 'a word may contain a substitution';
      return TRANSPARENT.has(node.type) ? undefined : `a part of the text (${node.type}) is not analysed`;
  }
}

/** Syntax that means the same in bash, dash and zsh. */
const IN_ANY_SHELL: ReadonlySet<string> = new Set(
  'Script Statement AndOr Pipeline Negation Command Word Literal SingleQuoted DoubleQuoted Redirect FileDescriptor'.split(
    ' ',
  ),
);

const REDIRECTS_IN_ANY_SHELL: ReadonlySet<string> = new Set(['<', '>', '>>', '<&', '>&']);

/** The same for an unknown shell: only commands with literal words are harmless. */
export function whyHiddenInAnyShell(node: AnyNode): string | undefined {
  const isOther =
    !IN_ANY_SHELL.has(node.type) ||
    (node.type === 'Redirect' && !REDIRECTS_IN_ANY_SHELL.has(node.operator)) ||
    (node.type === 'Pipeline' && node.operators.some((operator) => operator !== '|'));
  return isOther ? `a part of the text (${node.type}) depends on the shell` : whyHidden(node);
}

/** Whether an expansion only inserts a value. An index, a slice or a transformation is evaluated. */
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

/** An upper-case name may be exported and make programs load code. Bash has no special lower-case name. */
function nameProblem(name: string, value: string | undefined): string | undefined {
  if (/^[a-z_][a-z0-9_]*$/.test(name)) return undefined;
  return value !== undefined && isHarmless(name, value) ? undefined : `${name} is set in the text`;
}

/** The parser reads a digit before `<(`, and the old arithmetic syntax `$[…]`, as plain text. */
function isHidingWord({ parts, text }: Word): boolean {
  return text.includes('$[') || (parts === undefined && /[<>]\(/.test(text));
}
