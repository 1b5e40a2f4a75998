import { expect, it } from 'vitest';
import { refuseInsideSession } from '../../../src/apps/cli/refuse-inside-session.ts';

it('refuses inside a session only', () => {
  expect(() => refuseInsideSession('answering', {})).not.toThrow();
  expect(() => refuseInsideSession('answering', { PINCER_SESSION: 'brisk-otter' })).toThrow(
    expect.objectContaining({
      code: 'APPROVAL_FROM_SESSION',
      message: 'answering is not allowed inside a session (brisk-otter)',
    }),
  );
});
