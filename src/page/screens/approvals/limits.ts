/** When a request is too long to be shown at once, and why it cannot be answered from here. */
import type { ApprovalInfo } from '../../../wire/approval.ts';
import { shortened } from '../../text/shortened.ts';

/** A longer text is folded, and nothing can be answered before it was unfolded. */
export const FOLDED_LENGTH = 4000;
/** The same for lines: empty ones could move the rest of a command off the screen. */
export const FOLDED_LINES = 12;
/** Most variables that are shown before everything is unfolded. */
export const SHOWN_VARIABLES = 12;
const END_LENGTH = 200;

export function isFoldable({ binding }: ApprovalInfo): boolean {
  const values = Object.values(binding.env);
  const texts = [binding.command, ...values, ...binding.programs.flatMap(({ argv }) => argv)];
  return values.length > SHOWN_VARIABLES || texts.some((text) => folded(text) !== text);
}

/** The beginning of a long text; a short one whole. */
export function folded(text: string): string {
  return shortened(text.split('\n', FOLDED_LINES).join('\n'), FOLDED_LENGTH);
}

/** The end of a text that is folded, without the empty lines before it. */
export function foldedEnd(text: string): string {
  const rest = text.slice(folded(text).length);
  const end = rest.slice(-END_LENGTH);
  return end.slice(/^[\udc00-\udfff]/u.test(end) ? 1 : 0).trimStart();
}

/** Why a node does not take this answer from here; undefined where it does. */
export function nodeRefusal({ node, slug }: ApprovalInfo, isAlways: boolean): string | undefined {
  if (node === undefined || node.answers === 'always') return undefined;
  if (node.answers === 'once')
    return isAlways ? `Node ${node.name} lets this gateway allow single runs only (node.answers).` : undefined;
  return `Answer it on node ${node.name}: pincer approvals allow ${node.approvalId ?? slug}. Its setting node.answers lets this gateway answer nothing.`;
}

/** Why "Allow always…" cannot be used; undefined where it can. */
export function alwaysRefusal(approval: ApprovalInfo): string | undefined {
  const ofNode = nodeRefusal(approval, true);
  if (ofNode !== undefined || approval.wouldStore.length > 0) return ofNode;
  return 'Nothing can be stored for this command. It can be allowed once.';
}
