import { describe, expect, it } from 'vitest';
import { ensureDebianPackages, installIsCurrent, missingLine, nodeIsTooOld } from '../../scripts/setup.mjs';

describe('installIsCurrent', () => {
  const a = { version: '1.0.0', integrity: 'sha512-a' };
  const wanted = { '': { version: '0.1.0' }, 'node_modules/a': a, 'node_modules/mac': { ...a, optional: true } };

  it.each([
    ['all that the lock file names is there', { 'node_modules/a': a }, true],
    ['a package is missing', {}, false],
    ['a version differs', { 'node_modules/a': { ...a, version: '1.0.1' } }, false],
    ['the bytes of a version differ', { 'node_modules/a': { ...a, integrity: 'sha512-b' } }, false],
  ])('when %s', (_, installed, current) => {
    expect(installIsCurrent(wanted, installed)).toBe(current);
  });
});

describe('nodeIsTooOld', () => {
  it.each([
    ['18.20.0', true],
    ['20.18.9', true],
    ['20.19.0', false],
    ['20.20.2', false],
    ['24.0.0', false],
  ])('knows %s', (version, tooOld) => {
    expect(nodeIsTooOld(version)).toBe(tooOld);
  });
});

describe('Debian packages', () => {
  it('asks for nothing when every program is there', async () => {
    expect(await ensureDebianPackages([{ name: 'bash', command: 'sh', suites: ['tests/x.test.ts'] }])).toEqual([]);
  });

  it('names the suites that do not run, and what brings them back, in one line', () => {
    const missing = [
      { name: 'bubblewrap', command: 'bwrap', suites: ['tests/a.test.ts', 'tests/b.test.ts'] },
      { name: 'jq', command: 'jq', suites: ['tests/c.test.ts'] },
    ];
    expect(missingLine(missing)).toBe(
      'Not run: tests/a.test.ts, tests/b.test.ts, tests/c.test.ts ' +
        '(missing: bubblewrap, jq; apt-get install bubblewrap jq).',
    );
  });
});
