import type { ApprovalInfo } from '../approval.ts';

/** Distinguishes requests of several gateways: copies of one request on a node have the same name. */
export function requestName({ id, node }: Pick<ApprovalInfo, 'id' | 'node'>): string {
  return node === undefined ? id : `${node.id} ${node.approvalId ?? id}`;
}
