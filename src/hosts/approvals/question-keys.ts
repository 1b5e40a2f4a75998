/** Which approval requests ask the same, and which are about the same rule. */
import { createHash } from 'node:crypto';
import type { ApprovalBinding, ApprovalInfo } from '../../wire/approval.ts';
import { maskedBinding } from './history.ts';
import { canonicalJson, canonicalText } from './approval-digest.ts';

/**
 * Equal for two requests of which a person is shown the same, apart from the client and the conversation: one answer may then apply
 * to both. The identities of programs and files are a part of it.
 */
export function sameQuestionKey(asked: Pick<ApprovalInfo, 'binding' | 'judgement' | 'wouldStore'>): string {
  const { client: _client, conversation: _conversation, ...binding } = asked.binding;
  return hash(canonicalText({ ...asked, id: '', binding }));
}

/**
 * Equal for two requests that one rule would cover: the same programs and arguments, of the same agent in the same folder. Secrets
 * are masked first, so that the key tells nothing about them.
 */
export function ruleKey(binding: ApprovalBinding): string {
  const { agent, host, cwd, env, pty, programs, command } = maskedBinding(binding) ?? binding;
  const called = programs.some(({ argv }) => argv.length > 0)
    ? programs.map(({ real, argv }) => [real, argv.slice(1)])
    : command;
  return hash(canonicalJson([agent, host, cwd, env, pty, called]));
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
