import { describe, expect, it, vi } from 'vitest';
import { postureIn, postureReport, postureSentence } from '../../src/apps/posture.ts';
import { Fault } from '../../src/base/fault.ts';
import type { Gateway } from '../../src/wire/methods.ts';
import { makeFolder } from '../support/folder.ts';
import { advancedUntil } from '../support/patience.ts';

const CALLER = { agent: 'main' };

/** What a way in says that has this gateway, in a folder without files of configuration. */
function wayIn(call: () => Promise<never>) {
  const folder = makeFolder({});
  return { folder, options: { gateway: async () => ({ call }) as unknown as Gateway } };
}

describe('R3-9: a gateway that cannot report the posture', () => {
  it('results in an unknown posture, and file tools are described separately', async () => {
    const fault = new Fault('GATEWAY_UNKNOWN_METHOD', 'the daemon has no method "policy.posture"', { hint: 'stop it' });
    const { folder, options } = wayIn(() => Promise.reject(fault));
    expect(await postureIn(folder, CALLER, options)).toEqual({
      kind: 'unknown',
      commands: 'the posture of commands is unknown: the daemon has no method "policy.posture"',
      files: 'file tools work on this machine, within the workspace',
      hint: 'stop it',
      code: 'GATEWAY_UNKNOWN_METHOD',
      rules: 0,
    });
  });

  it('for its configuration refuses commands', async () => {
    const fault = new Fault('CONFIG_INVALID', 'pincer.jsonc: tools.exec.security');
    const { folder, options } = wayIn(() => Promise.reject(fault));
    await expect(postureIn(folder, CALLER, options)).rejects.toBe(fault);
    expect(await postureReport(folder, CALLER, options)).toEqual({
      kind: 'denied',
      commands: 'commands are refused: pincer.jsonc: tools.exec.security',
      rules: 0,
    });
  });

  it('does not delay connecting clients', async () => {
    const { folder, options } = wayIn(() => new Promise(() => {}));
    vi.useFakeTimers();
    try {
      let sentence = '';
      void postureSentence(folder, CALLER, options).then((text) => (sentence = text));
      await advancedUntil(300, () => sentence !== '', 'the sentence');
      expect(sentence).toBe(
        'the posture of commands is unknown: the daemon did not answer within 3 s; ' +
          'file tools work on this machine, within the workspace',
      );
    } finally {
      vi.useRealTimers();
    }
  });
});
