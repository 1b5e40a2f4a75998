import { expect, it } from 'vitest';
import { refuseInsideSession } from '../../../src/apps/cli/refuse-inside-session.ts';

it('lets a person answer, and no command of a session', () => {
  expect(() => refuseInsideSession('answering', {})).not.toThrow();
  expect(() => refuseInsideSession('answering', { PINCER_SESSION: 'brisk-otter' })).toThrow(
    expect.objectContaining({
      code: 'APPROVAL_FROM_SESSION',
      message: 'answering is for a person, and this is the session brisk-otter',
    }),
  );
});
