/** Explains a judgement to a person: each stage, its program, what decided, and what would allow it. */
import { replaceHidden } from '../base/hidden-characters.ts';
import {
  type AllowlistEntry,
  type Judgement,
  type Span,
  type StageReport,
  type Verdict,
  stageVerdict,
} from '../wire/policy.ts';

export const MARKS = { allow: '✓', ask: '?', deny: '✗' } as const;
const WORDS = { allow: 'runs without asking', ask: 'asks a person first', deny: 'does not run' } as const;
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u;
const CONTEXT = 60;

/** The output of `pincer policy explain`. */
export function explainJudgement(command: string, judgement: Judgement): string {
  const { verdict, code, reason, at, hint, stages, proposal } = judgement;
  const lines = [`${MARKS[verdict]} ${verdict}: ${WORDS[verdict]}`, '', ...marked(command, at), ''];
  lines.push(`  ${code}: ${shownText(reason)}`);
  if (hint !== undefined) lines.push(`  to pass: ${shownText(hint)}`);
  if (stages.length > 0) lines.push('', ...stagesLines(command, judgement));
  if (proposal !== undefined)
    lines.push('', '  allow-always would store:', ...proposal.map((entry) => `    ${shownEntry(entry)}`));
  if (judgement.explicit === true)
    lines.push('', '  only a person can allow this; the automatic answer (askFallback) is not used');
  return `${lines.join('\n')}\n`;
}

const WHEN = { always: '', ok: ', if the last step succeeded', failed: ', if the last step failed' } as const;

/** All commands; those of a compound command below the step that they belong to. */
function stagesLines(command: string, { verdict, stages, plan }: Judgement): readonly string[] {
  const { steps = [] } = plan ?? {};
  const lines: string[] = [];
  let planned = 0;
  let shown = 0;
  const showSteps = (end: number): void => {
    for (const { when, start, end: stop } of steps.slice(shown, end))
      lines.push(`  step ${++shown}${WHEN[when]}: ${shownText(command.slice(start, stop))}`);
  };
  for (const [i, stage] of stages.entries()) {
    const { step = -1, binary } = stage;
    showSteps(step + 1);
    // `cd` has no program.
    const runs = binary === undefined ? undefined : plan?.stages[planned++]?.argv;
    lines.push(...stageLines(verdict, stage, i, runs));
  }
  showSteps(steps.length);
  return lines;
}

function stageLines(
  whole: Verdict,
  { argv, binary, verdict, code, reason, rule }: StageReport,
  index: number,
  runs: readonly string[] | undefined,
): readonly string[] {
  const lines = [`  ${index + 1}. ${MARKS[stageVerdict(whole, verdict)]} ${argv.map(shownWord).join(' ')}`];
  if (binary !== undefined)
    lines.push(
      `     program  ${shownText(binary.real)}${binary.path === binary.real ? '' : ` (found as ${shownText(binary.path)})`}`,
    );
  lines.push(`     ${code}  ${shownText(reason)}`);
  if (rule !== undefined) lines.push(`     rule     ${shownEntry(rule)}`);
  if (runs !== undefined && runs.some((word, i) => word !== argv[i]))
    lines.push(`     runs as  ${runs.map(shownWord).join(' ')}`);
  return lines;
}

/** An entry as JSON, without its last use and without the texts that it is bound to, which may be long. */
export function shownEntry(entry: AllowlistEntry): string {
  const { lastUsedAt: _, lastUsedCommand: __, lastResolvedPath: ___, bound, ...rest } = entry;
  const texts = bound?.map(({ text: ____, ...one }) => one);
  return shownText(JSON.stringify({ ...rest, ...(texts === undefined ? {} : { bound: texts }) }));
}

/** The command on one line with carets under the span. Of a long command, only the part around the span is shown. */
function marked(command: string, at: Span | undefined): readonly string[] {
  const from = at === undefined || command.length <= 2 * CONTEXT ? 0 : Math.max(0, at.start - CONTEXT);
  const to =
    at === undefined && command.length > 2 * CONTEXT
      ? 2 * CONTEXT
      : Math.min(command.length, from === 0 && command.length <= 2 * CONTEXT ? command.length : from + 2 * CONTEXT);
  const before = `${from > 0 ? '…' : ''}${shownText(command.slice(from, Math.min(at?.start ?? to, to)))}`;
  const inside = at === undefined ? '' : shownText(command.slice(at.start, Math.min(at.end, to)));
  const after = at === undefined || at.end >= to ? '' : shownText(command.slice(at.end, to));
  const line = `  ${before}${inside}${after}${to < command.length ? '…' : ''}`;
  return at === undefined
    ? [line]
    : [line, `  ${' '.repeat(widthOf(before))}${'^'.repeat(Math.max(1, widthOf(inside)))}`];
}

/** Escapes characters that are invisible or would move the cursor. */
export function shownText(text: string): string {
  return replaceHidden(text, (char) =>
    char === '\n' ? '\\n' : char === '\t' ? '\\t' : `\\u{${char.codePointAt(0)!.toString(16)}}`,
  );
}

/** Quotes an argument where its end would not be visible. */
export function shownWord(word: string): string {
  const text = shownText(word);
  return /^[\w@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Columns on a terminal: wide characters take two, combining marks none. */
function widthOf(text: string): number {
  let width = 0;
  for (const char of text) width += /\p{Mn}|\p{Me}/u.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
  return width;
}
