/** A gateway that runs as root gives a sandbox no file of /usr that only root may read. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeFolder } from '../../../support/folder.ts';
import { pincer } from '../../../support/pincer.ts';
import { whyNoBubblewrap } from '../../../support/sandbox.ts';

const why = process.geteuid?.() === 0 ? await whyNoBubblewrap() : 'this is not root';

it.skipIf(why !== undefined)(
  'C6: a root-only file, and all below a root-only folder, cannot be read (needs root)',
  () => {
    mkdirSync('/usr/local/src', { recursive: true });
    const closed = mkdtempSync('/usr/local/src/pincer-test-');
    const folder = makeFolder({ 'home/.config/pincer/pincer.jsonc': '{ sandbox: { mode: "all" } }' });
    onTestFinished(() => {
      pincer(folder, ['daemon', 'stop', '--force']);
      rmSync(closed, { recursive: true, force: true });
    });
    chmodSync(closed, 0o755);
    mkdirSync(join(closed, 'private'), { mode: 0o700 });
    for (const [name, mode] of [
      ['open', 0o644],
      ['key.pem', 0o600],
      ['group', 0o640],
      ['private/open', 0o644],
    ] as const)
      writeFileSync(join(closed, name), `content of ${name}\n`, { mode });
    const read = `cd ${closed} && cat open key.pem group private/open 2>/dev/null; ls private`;
    expect(pincer(folder, ['exec', '-c', read])).toMatchObject({ stdout: 'content of open\n' });
  },
  120_000,
);
