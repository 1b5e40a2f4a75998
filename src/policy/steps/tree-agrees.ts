/**
 * Second opinion on a compound command: the unbash parser must find the same statements, operators, words, redirections and
 * here-documents at the same places, or the text counts as not analysable.
 */
import type {
  Assignment,
  Command,
  CommandExpansionPart,
  Pipeline,
  PipelineNode,
  Redirection,
  Word,
  WordPart,
} from 'unbash';
import { parseSafely } from '../shell/parser-agrees.ts';
import type { ShellPart, ShellWord } from '../shell/refusal.ts';
import type { ShellCommand, ShellPipeline, ShellProgram, ShellRedirect } from './tree.ts';

export function treeAgrees(text: string, program: ShellProgram): boolean {
  const script = parseSafely(text);
  if (script === undefined || (script.errors ?? []).length > 0) return false;
  const found: { readonly when: ShellPipeline['when']; readonly node: PipelineNode }[] = [];
  for (const { command, background } of script.commands) {
    if (background === true) return false;
    if (command.type !== 'AndOr') found.push({ when: 'always', node: command });
    else
      for (const [i, node] of command.commands.entries())
        found.push({ when: i === 0 ? 'always' : command.operators[i - 1] === '&&' ? 'ok' : 'failed', node });
  }
  return (
    found.length === program.length &&
    program.every((pipeline, i) => pipeline.when === found[i]!.when && samePipeline(pipeline, found[i]!.node))
  );
}

function samePipeline({ isNegated, commands, operators }: ShellPipeline, node: PipelineNode): boolean {
  const {
    prefixes,
    commands: nodes,
    operators: signs,
  }: Pick<Pipeline, 'prefixes' | 'commands' | 'operators'> = node.type === 'Pipeline'
    ? node
    : { prefixes: [], commands: [node], operators: [] };
  if (prefixes.length !== (isNegated ? 1 : 0) || prefixes.some(({ type }) => type !== 'Negation')) return false;
  return (
    commands.length === nodes.length &&
    operators.length === signs.length &&
    operators.every((operator, i) => operator === signs[i]) &&
    commands.every((command, i) => {
      const other = nodes[i]!;
      return other.type === 'Command' && sameCommand(command, other);
    })
  );
}

function sameCommand({ assignments, words, redirects }: ShellCommand, node: Command): boolean {
  const { name, prefix } = node;
  const args = node.suffix.filter(
    (part): part is Word | Assignment => part.type === 'Word' || part.type === 'Assignment',
  );
  const found = [...(name === undefined ? [] : [name]), ...args];
  return (
    prefix.length === assignments.length &&
    found.length === words.length &&
    node.redirects.length === redirects.length &&
    assignments.every((word, i) => sameAssignment(word, prefix[i]!)) &&
    words.every((word, i) => {
      const other = found[i]!;
      return other.type === 'Word' && sameWord(word, other);
    }) &&
    redirects.every((redirect, i) => sameRedirect(redirect, node.redirects[i]!))
  );
}

function sameAssignment(word: ShellWord, node: Assignment | Redirection): boolean {
  const { assigns = -1, parts, span } = word;
  if (node.type !== 'Assignment' || node.append === true || node.index !== undefined) return false;
  if (node.value.type !== 'Word' || node.pos !== span.start || node.end !== span.end) return false;
  const ours = canonical(parts);
  return node.name.length === assigns && `${node.name}=${canonicalNodes(node.value)}` === ours;
}

function sameWord({ parts, span }: ShellWord, node: Word): boolean {
  return span.start === node.pos && span.end === node.end && canonical(parts) === canonicalNodes(node);
}

function sameRedirect(redirect: ShellRedirect, node: Redirection): boolean {
  const { operator, descriptor, target, body, span } = redirect;
  if (node.operator !== operator || node.pos !== span.start || node.end !== span.end) return false;
  const other = node.descriptor;
  if (other?.type === 'FileDescriptorVariable' || other?.value !== descriptor) return false;
  if (node.type !== 'HereDoc')
    return target !== undefined && node.target !== undefined && sameWord(target, node.target);
  const text = operator === '<<-' ? node.body.text.replace(/^\t+/gm, '') : node.body.text;
  return body === text && node.closing !== undefined && isLiteralBody(node.body.parts);
}

function isLiteralBody(parts: readonly WordPart[] | undefined): boolean {
  return parts === undefined || parts.every(({ type }) => type === 'Literal');
}

/** Characters that no command contains separate the parts, so that text is never taken for another part. */
const GLOB = '\u0001';
const VARIABLE = '\u0002';
const QUOTED = '\u0003';
const BODY = '\u0004';
const OTHER = '\u0005';

function canonical(parts: readonly ShellPart[]): string {
  return withoutSeams(parts.map(canonicalPart).join(''));
}

function canonicalPart(part: ShellPart): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'glob':
      return `${GLOB}${part.text}${GLOB}`;
    case 'variable':
      return `${part.quoted ? QUOTED : VARIABLE}${part.name}${VARIABLE}`;
    case 'home':
      return '~';
    case 'body':
      return `${BODY}${part.text}${BODY}`;
  }
}

/** The parser reads `**` as one pattern. */
function withoutSeams(text: string): string {
  return text.replaceAll(GLOB + GLOB, '');
}

function canonicalNodes({ parts, value }: Word): string {
  return parts === undefined ? value : withoutSeams(parts.map((part) => canonicalNode(part, false)).join(''));
}

function canonicalNode(part: WordPart, quoted: boolean): string {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
      return part.value;
    case 'DoubleQuoted':
      return part.parts.map((inner) => canonicalNode(inner, true)).join('');
    case 'Glob':
      return quoted ? OTHER : `${GLOB}${part.text}${GLOB}`;
    case 'SimpleExpansion':
      return `${quoted ? QUOTED : VARIABLE}${part.text.slice(1)}${VARIABLE}`;
    case 'ParameterExpansion': {
      const isPlain = part.prefix === undefined && part.index === undefined && part.operation === undefined;
      return isPlain ? `${quoted ? QUOTED : VARIABLE}${part.parameter}${VARIABLE}` : OTHER;
    }
    case 'CommandExpansion':
      return quoted ? `${BODY}${bodyOf(part) ?? OTHER}${BODY}` : OTHER;
    default:
      return OTHER;
  }
}

/** The text of `$(cat <<'TAG' … TAG)` without the line ends behind it. */
function bodyOf({ script }: CommandExpansionPart): string | undefined {
  const [statement, ...others] = script?.commands ?? [];
  if (statement === undefined || others.length > 0 || statement.background === true) return undefined;
  if ((script?.commands.length ?? 0) !== 1 || statement.command.type !== 'Command') return undefined;
  const { name, prefix, suffix } = statement.command;
  const [document] = suffix;
  if (name?.text !== 'cat' || prefix.length > 0 || suffix.length !== 1 || document?.type !== 'HereDoc')
    return undefined;
  const { body, closing, descriptor, operator } = document;
  if (closing === undefined || descriptor !== undefined || !isLiteralBody(body.parts)) return undefined;
  const text = operator === '<<-' ? body.text.replace(/^\t+/gm, '') : body.text;
  return text.replace(/\n+$/, '');
}
