import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { launcherLaws, type Shared } from '../../../contracts/launcher-laws.ts';
import { whyNoBubblewrap } from '../../../support/sandbox.ts';
import { openReal } from './stage.ts';

describe.skipIf((await whyNoBubblewrap()) !== undefined)('in bubblewrap', () => {
  const workspace = mkdtempSync(join(tmpdir(), 'pincer-workspace-'));
  afterAll(() => rmSync(workspace, { recursive: true, force: true }));
  const shared: Shared = {
    makeFolder: () => mkdtempSync(join(workspace, 'f')),
    seenAt: (path) => path.replace(workspace, '/workspace'),
  };
  launcherLaws('of a sandbox', async () => (await openReal({ workspace })).link.launcher, shared);
});
