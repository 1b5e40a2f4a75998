import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nodeKeyFiles, nodeKeysIn } from '../../../src/hosts/identity/node-keys.ts';
import { newIdentity } from '../../../src/hosts/identity/keys.ts';
import { makeFolder } from '../../support/folder.ts';

describe('a new key of a node', () => {
  it('becomes the current one, also where another process has committed it before', () => {
    const stateDir = makeFolder();
    const keys = nodeKeysIn(stateDir);
    const key = keys.prepare();
    keys.commit(key);
    keys.commit(key);
    expect([keys.current().id, keys.next()]).toEqual([key.id, undefined]);
  });

  it('stays the next one where the gateway has accepted another key', () => {
    const stateDir = makeFolder();
    const keys = nodeKeysIn(stateDir);
    const before = keys.current().id;
    const key = keys.prepare();
    expect(() => keys.commit(newIdentity())).toThrow(/not the key that the gateway has accepted/u);
    expect([keys.current().id, keys.next()?.id]).toEqual([before, key.id]);
    expect(existsSync(nodeKeyFiles(stateDir).current)).toBe(false);
  });
});
