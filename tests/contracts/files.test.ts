import { onTestFinished } from 'vitest';
import { localFiles } from '../../src/hosts/files/files.ts';
import { Meter } from '../../src/hosts/workers/meter.ts';
import { meteredFiles, sharedFiles } from '../../src/hosts/workers/metered-files.ts';
import { filesLaws, type MakeFiles } from './files-laws.ts';

const local: MakeFiles = (cwd, stateDir) => {
  const files = localFiles({ cwd, stateDir, hardLinks: 'refuse' });
  onTestFinished(() => files.close());
  return files;
};
const ample = (): Meter => new Meter({ whole: 1 << 20, windows: 1 << 20, work: 1 << 20, names: 100 });

filesLaws('of this machine', local);
filesLaws('of this machine, with reading counted', (...places) => meteredFiles(local(...places), ample()));
filesLaws('in a process that others share', (...places) => sharedFiles(local(...places), ample()));
