import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  DEBIAN_PACKAGES,
  ensureDebianPackages,
  installIsCurrent,
  missingLine,
  nodeIsTooOld,
} from '../../scripts/setup.mjs';

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
  it('names every suite that starts a NATS server and does not skip itself', () => {
    const root = join(import.meta.dirname, '..', '..');
    const suites = readdirSync(join(root, 'tests'), { recursive: true, encoding: 'utf8' })
      .map((file) => join('tests', file))
      .filter((file) => file.endsWith('.test.ts'))
      .filter((file) => {
        const text = readFileSync(join(root, file), 'utf8');
        return /from '[./a-z]*\/nats-(?:cluster|homes)\.ts'/u.test(text) && !text.includes('whyNoNats');
      });
    const listed = DEBIAN_PACKAGES.find(({ name }) => name === 'nats-server')?.suites ?? [];
    expect(listed.toSorted()).toEqual(suites.toSorted());
  });

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
