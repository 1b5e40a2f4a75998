/** Approval requests as text: what runs, for whom, why it asks, and what an answer does. */
import { actorText } from '../../../wire/actor.ts';
import { UNKNOWN_CLIENT } from '../../../wire/client-name.ts';
import type { ApprovalInfo } from '../../../wire/approval.ts';
import type { AllowlistEntry } from '../../../wire/policy.ts';
import { shapeText } from '../../../wire/rules/shape.ts';
import { isKeepOffered } from '../../../wire/questions/keep-offer.ts';
import { namedRisk } from '../../../wire/questions/risk-order.ts';
import type { Paint } from '../../terminal/paint.ts';
import { escaped, escapeText } from './escape-text.ts';

/** Longer values are cut, unless the caller wants them whole. */
const LONGEST_VALUE = 1_000;

/** A few lines to decide by. The command is never cut. */
export function approvalBlock(approval: ApprovalInfo, now: number, style: Paint): string {
  const { slug, binding } = approval;
  return lines([
    `${style.address(slug)}  ${stateText(approval, now, style)}  ${escaped(actorText(binding))}  ${placeText(approval)}`,
    ...differsLines(approval, style),
    ...commandLines(approval, style),
    `  why: ${reasonText(approval)}`,
    ...questionLines(approval, style),
    ...binding.programs.map(({ real }) => `  runs: ${escaped(real)}`),
    ...pathLines(approval),
    ...variableLines(approval, LONGEST_VALUE),
    ...answerLines(approval),
    ...endingLines(approval),
  ]);
}

/** Before the command: a person who knows the previous one needs only this word. */
function differsLines({ differs }: ApprovalInfo, style: Paint): readonly string[] {
  if (differs === undefined) return [];
  const { word, before, from } = differs;
  return [`  only ${style.bad(argumentText(word))} differs from ${escaped(from)}, which had ${argumentText(before)}`];
}

/** The risk, how many calls the answer applies to, and what would end the questions. */
function questionLines(approval: ApprovalInfo, style: Paint): readonly string[] {
  const { judgement, state, waiting, question, slug } = approval;
  if (state !== 'pending') return [];
  const risk = namedRisk(judgement);
  return [
    ...(risk === undefined ? [] : [`  risk: ${style.bad(RISKS[risk])}`]),
    ...(waiting === undefined ? [] : [`  waiting: ${waiting} calls, each runs once after the answer`]),
    ...(question === undefined ? [] : [`  waiting: for the answer to ${escaped(question.slice(0, slug.length))}`]),
    ...(isKeepOffered(approval) ? [`  ${keepText(approval)}`] : []),
  ];
}

const RISKS = {
  system: 'changes the system',
  network: 'uses the network',
  outside: 'reaches outside the workspace',
  secret: 'reads a secret',
  project: 'runs code of the project',
  'inline-code': 'runs code in the command',
} as const;

function placeText({ binding, node }: ApprovalInfo): string {
  const on = node === undefined ? '' : `on node ${escaped(node.name)} `;
  return `${on}in ${escaped(binding.cwd)}`;
}

/** The rules of a node are on its machine: ` on node mac`. */
export function onNode(node: ApprovalInfo['node']): string {
  return node === undefined ? '' : ` on node ${escaped(node.name)}`;
}

/** Why allow-always would store nothing. */
export function nothingStored({ node }: Pick<ApprovalInfo, 'node'>): string {
  return node === undefined || node.answers === 'always'
    ? 'nothing can be stored for this command'
    : `nothing is stored: node ${escaped(node.name)} stores no rules for this gateway (node.answers)`;
}

function hostText({ binding, node }: ApprovalInfo): string {
  return node === undefined ? binding.host : `node ${escaped(node.name)}`;
}

/** After the third time: what ends the questions about it. */
export function keepText({ slug, allowedBefore = 0, state }: ApprovalInfo): string {
  const times = `allowed once ${allowedBefore} times before`;
  return state === 'pending' ? `${times}; to stop being asked: pincer approvals allow ${slug} --always` : times;
}

/** Where a pending request of a node must be answered, if not here. */
function answerLines({ slug, state, node }: ApprovalInfo): readonly string[] {
  if (state !== 'pending' || node?.answers !== 'none') return [];
  return [`  answer it on node ${escaped(node.name)}: pincer approvals allow ${escaped(node.approvalId ?? slug)}`];
}

/** Whether `approvalBlock` shows every variable in full. */
export function showsWholeValues({ binding }: ApprovalInfo): boolean {
  return Object.values(binding.env).every((value) => value.length <= LONGEST_VALUE);
}

/** Folders of the gateway before the PATH of its node: programs in them precede those of the machine. */
function pathLines({ binding: { pathPrepend = [] } }: ApprovalInfo): readonly string[] {
  return pathPrepend.map((folder) => `  before PATH: ${escaped(folder)}`);
}

/** Variables that the agent chose; they may change what the command does. */
function variableLines({ slug, binding }: ApprovalInfo, longest: number): readonly string[] {
  return Object.entries(binding.env).map(([name, value]) => {
    const more = value.length - longest;
    const rest = more > 0 ? `… and ${more} more characters: pincer approvals show ${slug} --env` : '';
    return `  env: ${escaped(name)}=${argumentText(value.slice(0, longest))}${rest}`;
  });
}

/** The answer and its result; empty while the request is pending. */
function endingLines({ decision, resolvedBy, resolvedAt, sessionId, outcome }: ApprovalInfo): readonly string[] {
  const time = resolvedAt === undefined ? '' : `, ${timeText(resolvedAt)}`;
  return [
    ...(decision === undefined ? [] : [`  answer: ${decision} by ${escaped(resolvedBy ?? 'no person')}${time}`]),
    ...(sessionId === undefined ? [] : [`  session: ${escaped(sessionId)}`]),
    ...(outcome === undefined ? [] : [`  outcome: ${escaped(outcome)}`]),
  ];
}

export function approvalDetails(approval: ApprovalInfo, now: number, style: Paint, wholeValues: boolean): string {
  const { id, binding, judgement, wouldStore, node } = approval;
  return lines([
    `${style.address(id)}  ${stateText(approval, now, style)}`,
    ...differsLines(approval, style),
    ...commandLines(approval, style),
    `  why: ${reasonText(approval)}`,
    ...questionLines(approval, style),
    ...(judgement.hint === undefined
      ? []
      : [`  hint:${node === undefined ? '' : `${onNode(node)}:`} ${escaped(judgement.hint)}`]),
    `  client: ${escaped(binding.client ?? UNKNOWN_CLIENT)}`,
    `  agent: ${escaped(binding.agent)}`,
    ...(binding.conversation === undefined ? [] : [`  conversation: ${escaped(binding.conversation)}`]),
    `  host: ${hostText(approval)}${binding.pty ? ', in a terminal' : ''}`,
    `  folder: ${escaped(binding.cwd)}`,
    ...binding.programs.flatMap(({ real, argv }) => [
      `  runs: ${escaped(real)}`,
      ...(argv.length === 0 ? [] : [`    ${argv.map(argumentText).join(' ')}`]),
    ]),
    ...binding.files.map(({ path }) => `  file: ${escaped(path)}`),
    ...pathLines(approval),
    ...variableLines(approval, wholeValues ? Number.POSITIVE_INFINITY : LONGEST_VALUE),
    ...(wouldStore.length === 0
      ? [`  always: ${nothingStored(approval)}`]
      : ['  always would store:', ...wouldStore.map((entry) => `    ${entryText(entry)}`)]),
    `  asked: ${timeText(approval.createdAt)}`,
    ...answerLines(approval),
    ...endingLines(approval),
  ]);
}

export function entryText(entry: AllowlistEntry): string {
  const { pattern, args, argPattern, argv, words, shapes, access, cwd, below, where, bound = [] } = entry;
  if (access !== undefined) return [`may ${access} files below ${escaped(pattern)}`, ...endTexts(entry)].join('  ');
  return [
    escaped(pattern),
    ...(words === undefined ? [] : [wordsText(words)]),
    ...(argv === undefined
      ? []
      : [`with exactly: ${argv.length === 0 ? '(no arguments)' : argv.map(argumentText).join(' ')}`]),
    ...(args === undefined ? [] : [`with: ${args.map(escaped).join(' | ')}`]),
    ...(argPattern === undefined ? [] : [`with: /${escaped(argPattern)}/`]),
    ...(shapes === undefined ? [] : [`in the form: ${shapes.map((one) => escaped(shapeText(one))).join(' | ')}`]),
    ...((argv ?? args ?? argPattern ?? words ?? shapes) === undefined ? ['with any arguments'] : []),
    ...(cwd === undefined ? [] : [`in ${escaped(cwd)}`]),
    ...(below === undefined ? [] : [`below ${escaped(below)}`]),
    ...(where === 'sandbox' ? ['in the sandbox'] : []),
    ...(bound.length === 0 ? [] : [`bound to ${bound.length} ${bound.length === 1 ? 'text' : 'texts'}`]),
    ...endTexts(entry),
  ].join('  ');
}

function endTexts({ expiresAt, reason }: AllowlistEntry): readonly string[] {
  return [
    ...(expiresAt === undefined ? [] : [`until ${timeText(expiresAt)}`]),
    ...(reason === undefined ? [] : [`(${escaped(reason)})`]),
  ];
}

function wordsText(words: readonly string[]): string {
  const isOpen = words.at(-1) === '*';
  const fixed = (isOpen ? words.slice(0, -1) : words).map(argumentText).join(' ');
  if (isOpen) return `with ${fixed === '' ? 'any words' : `${fixed} and further words`}`;
  return `with exactly: ${fixed === '' ? '(no arguments)' : fixed}`;
}

/** `1m 42s`, at most two units. */
export function spanText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return '0s';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join(' ');
}

function commandLines({ binding, judgement }: ApprovalInfo, style: Paint): string[] {
  const { text, carets, escaped } = escapeText(binding.command, judgement.at);
  const noun = escaped === 1 ? '1 invisible character is' : `${escaped} invisible characters are`;
  return [
    `  ${style.value(text)}`,
    ...(carets === undefined ? [] : [`  ${style.bad(carets)}`]),
    ...(escaped === 0 ? [] : [`  ${style.bad(`warning: ${noun} shown as \\u…`)}`]),
  ];
}

function reasonText({ judgement: { reason, code, explicit } }: ApprovalInfo): string {
  return `${escaped(reason)} (${escaped(code)}${explicit === true ? '; only a person can allow it' : ''})`;
}

function stateText({ state, expiresAt, decision }: ApprovalInfo, now: number, style: Paint): string {
  if (state !== 'pending') return state === 'allowed' ? style.good(decision ?? state) : style.bad(state);
  return expiresAt > now ? `${spanText(expiresAt - now)} left` : style.bad('expired');
}

/** Quoted if its ends would not be visible. */
function argumentText(argument: string): string {
  const text = escaped(argument);
  return /^[\w@%+=:,./-]+$/u.test(text) ? text : JSON.stringify(argument).replaceAll(/[^\n]+/gu, escaped);
}

function timeText(time: number): string {
  return new Date(time).toISOString();
}

function lines(parts: readonly string[]): string {
  return parts.map((part) => `${part}\n`).join('');
}
