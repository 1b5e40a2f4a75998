import { afterEach, expect, it } from 'vitest';
import { link, login, type LinkState, writeBlocked } from '../../../src/page/state/link.ts';

afterEach(() => {
  link.value = { kind: 'connecting' };
  login.value = undefined;
});

it.each<[LinkState, RegExp | undefined]>([
  [{ kind: 'live' }, undefined],
  [{ kind: 'lost', nextTryAt: 1 }, /^There is no link/u],
  [{ kind: 'outdated', problem: 'the gateway is now version 2' }, /different versions\. Reload/u],
])('an operator with the link %j can write, or reads why not', (state, reason) => {
  login.value = { id: 'l', role: 'operator', name: 'operator-1', createdAt: 0, lastSeenAt: 0 };
  link.value = state;
  if (reason === undefined) expect(writeBlocked.value).toBeUndefined();
  else expect(writeBlocked.value).toMatch(reason);
});
