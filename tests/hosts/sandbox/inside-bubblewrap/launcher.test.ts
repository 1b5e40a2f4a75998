import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { launcherLaws } from '../../../contracts/launcher-laws.ts';
import { whyNoBubblewrap } from '../../../support/sandbox.ts';
import { openReal } from './stage.ts';

describe.skipIf((await whyNoBubblewrap()) !== undefined)('in bubblewrap', () => {
  /** Seen at the same path inside. */
  const shared = mkdtempSync(join(tmpdir(), 'pincer-shared-'));
  afterAll(() => rmSync(shared, { recursive: true, force: true }));
  let count = 0;
  const makeFolder = (): string => {
    const folder = join(shared, `${count++}`);
    mkdirSync(folder);
    return folder;
  };
  const binds = [{ source: shared, target: shared, access: 'rw' }] as const;
  launcherLaws('of a sandbox', async () => (await openReal({ binds })).link.launcher, makeFolder);
});
