import { launcherLaws } from '../../../contracts/launcher-laws.ts';
import { makeLauncher } from '../../../support/launching.ts';
import { startInside } from '../../../runner/started.ts';

launcherLaws('of this machine, streams as connections', () => makeLauncher());
launcherLaws('of this machine, streams in frames', async () => (await startInside()).link.launcher);
