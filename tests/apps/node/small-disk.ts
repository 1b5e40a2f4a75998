/** A state folder on a disk of its own that a test fills. */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Home } from '../serve/serving.ts';

export interface SmallDisk {
  fill(): void;
  free(): void;
}

/** Before any program uses the folder. Undefined where nothing may be mounted. */
export function smallDisk({ stateDir }: Home, size: string): SmallDisk | undefined {
  const mounted = spawnSync('/usr/bin/mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', stateDir]);
  if (mounted.status !== 0) return undefined;
  onTestFinished(() => void spawnSync('/usr/bin/umount', ['--lazy', stateDir]));
  const file = join(stateDir, 'filling');
  return {
    fill() {
      const descriptor = openSync(file, 'a');
      try {
        while (statfsSync(stateDir).bfree > 0) writeSync(descriptor, Buffer.alloc(4096));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(descriptor);
      }
    },
    free: () => rmSync(file, { force: true }),
  };
}
