import { expect, it } from 'vitest';
import { privateKeySpans } from '../../../src/text/secrets/private-keys.ts';
import { processorMs } from '../../support/patience.ts';

it('costs no more than its length for first lines without a last one', () => {
  const before = processorMs();
  expect(privateKeySpans('-----BEGIN PRIVATE KEY-----\nA\n'.repeat(20_000))).toHaveLength(20_000);
  expect(processorMs() - before).toBeLessThan(2_000);
});
