import { expect, test } from 'vitest';
import { auditLine, noticeLines } from '../../../../src/apps/cli/events/run.ts';

test('the output that a notice tells stands below it, line by line, and obeys nothing', () => {
  const text = 'Exec finished (gateway id=1, session=brisk-otter, code 0)\none\u001b[2J\ntwo';
  const notice = {
    seq: 7,
    time: 0,
    kind: 'exec-finished',
    agent: 'main',
    client: 'codex',
    text,
    untrusted: true,
    wake: true,
  } as const;
  expect(noticeLines({ ...notice, contextKey: 'exec:1' }, false)).toBe(
    '7 00:00:00 exec-finished codex: Exec finished (gateway id=1, session=brisk-otter, code 0)\n' +
      '    one\\u001b[2J\n    two\n',
  );
});

test('a line of the audit log names the command, the session, the approval and who answered', () => {
  const entry = {
    seq: 3,
    time: 0,
    event: 'answered',
    agent: 'ann',
    client: 'codex',
    command: 'ls\n-l',
    by: 'ann',
  } as const;
  const ids = { approvalId: '0b5c1f1e-7c2e-4f0a-9a37-111111111111', sessionId: 'brisk-otter' };
  expect(auditLine({ ...entry, ...ids, details: { decision: 'allow-once' } }, false)).toBe(
    '3 00:00:00 answered codex (ann): ls\\u000a-l  session=brisk-otter  approval=0b5c1f1e  by ann  {"decision":"allow-once"}\n',
  );
});
