import { launcherLaws } from '../../../contracts/launcher-laws.ts';
import { makeLauncher } from '../../../support/launching.ts';
import { startInside } from '../../../runner/started.ts';

launcherLaws('of this machine', () => makeLauncher());
launcherLaws('through the agent of a sandbox', async () => (await startInside()).link.launcher);
