/** `allow` and `deny`: answers an approval request, and prints the result. */
import type { ApprovalInfo, Decision, ResolveAnswer } from '../../../wire/approval.ts';
import type { Output } from '../../terminal/output.ts';
import { paint } from '../../terminal/paint.ts';
import type { Gateway } from '../../../wire/methods.ts';
import { printJson } from '../print-json.ts';
import { escaped } from './escape-text.ts';
import type { Keyboard } from './keyboard.ts';
import { type CommandShape, usage } from '../arguments.ts';
import { approvalBlock, entryText, nothingStored, onNode } from './approval-text.ts';

export interface AnswerContext {
  readonly gateway: Gateway;
  readonly output: Output;
  readonly json: boolean;
  readonly by: string;
  readonly now: () => number;
  readonly keyboard: Keyboard | undefined;
  readonly shape: CommandShape;
}

export async function answerOnce(
  id: string,
  decision: Decision,
  answering: AnswerContext,
  reason?: string,
): Promise<number> {
  return showAnswer(await resolve(id, decision, answering, { reason }), answering);
}

/** Shows what would be stored, asks for confirmation on a terminal, then answers. */
export async function answerAlways(
  id: string,
  { dryRun, yes }: { readonly dryRun: boolean; readonly yes: boolean },
  answering: AnswerContext,
): Promise<number> {
  const { gateway, output, json, now, keyboard, shape } = answering;
  if (!dryRun && !yes && (json || keyboard === undefined))
    throw usage(
      shape,
      '--always stores a rule, and there is no terminal to confirm it',
      'check the rule with --dry-run, then store it with --yes',
    );
  const approval = await gateway.call('approval.show', { id });
  if (json && dryRun) {
    printJson(output, { approval, wouldStore: approval.wouldStore });
    return approval.wouldStore.length > 0 ? 0 : 1;
  }
  if (!json) {
    output.out(approvalBlock(approval, now(), paint(output.colour)));
    output.out(storedText('always would store', approval));
    if (dryRun) return approval.wouldStore.length > 0 ? 0 : 1;
    const mustAsk = !yes && keyboard !== undefined && approval.wouldStore.length > 0 && approval.state === 'pending';
    if (mustAsk && !(await isConfirmed(keyboard, output))) {
      output.out('not answered, nothing stored\n');
      return 1;
    }
  }
  // By its full id and its digest, so that the answer is for exactly what was shown.
  const { id: shownId, digest } = approval;
  return showAnswer(await resolve(shownId, 'allow-always', answering, { digest }), answering);
}

function resolve(
  id: string,
  decision: Decision,
  { gateway, by }: AnswerContext,
  { reason, digest }: { readonly reason?: string | undefined; readonly digest?: string | undefined },
): Promise<ResolveAnswer> {
  return gateway.call('approval.resolve', {
    id,
    decision,
    by,
    ...(reason === undefined ? {} : { reason }),
    ...(digest === undefined ? {} : { digest }),
  });
}

function showAnswer(answer: ResolveAnswer, { output, json }: AnswerContext): number {
  if (json) printJson(output, answer);
  else output.out(answerText(answer, output.colour));
  return answer.ok && answer.notRun === undefined ? 0 : 1;
}

export function answerText(answer: ResolveAnswer, colour: boolean): string {
  const style = paint(colour);
  if (!answer.ok) {
    const hint = answer.hint === undefined ? '' : `hint: ${escaped(answer.hint)}\n`;
    return `${style.bad('refused:')} ${answer.reason} — ${escaped(answer.message)}\n${hint}`;
  }
  const { approval, stored, notStored, notRun, others } = answer;
  const what = approval.decision === 'deny' ? style.bad('denied') : style.good('allowed');
  const session = approval.sessionId === undefined ? '' : `, session ${escaped(approval.sessionId)}`;
  return [
    `${what} ${approval.slug}${session}: ${escaped(approval.binding.command)}\n`,
    ...(others === undefined ? [] : [`also ${others === 1 ? '1 other call' : `${others} other calls`} of it\n`]),
    ...stored.map(
      (entry) => `stored${onNode(approval.node)} for ${escaped(approval.binding.agent)}: ${entryText(entry)}\n`,
    ),
    ...(notStored === undefined ? [] : [`${style.bad('not stored:')} ${escaped(notStored)}\n`]),
    ...(notRun === undefined ? [] : [`${style.bad('not run:')} ${escaped(notRun)}\n`]),
    ...(approval.sessionId === undefined || notRun !== undefined
      ? []
      : [`output: pincer logs ${escaped(approval.sessionId)}\n`]),
  ].join('');
}

export function storedText(title: string, approval: ApprovalInfo): string {
  const { wouldStore, binding, node } = approval;
  if (wouldStore.length === 0) return `  always: ${nothingStored(approval)}\n`;
  return `  ${title}${onNode(node)} for ${escaped(binding.agent)}:\n${wouldStore.map((entry) => `    ${entryText(entry)}\n`).join('')}`;
}

function isConfirmed(keyboard: Keyboard, output: Output): Promise<boolean> {
  output.out('store this entry and run the command? [y/N] ');
  return new Promise((done) => {
    const listening = keyboard.listen((key) => {
      listening.stop();
      output.out('\n');
      done(key === 'y' || key === 'Y');
    });
  });
}
