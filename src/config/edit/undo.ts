/** Undoes changes that `changeConfigFile` recorded, newest first, all of them or none. */
import { locateSettings, refuseReadOnly, settingsFiles } from './change.ts';

type Changes = Awaited<ReturnType<ReturnType<typeof settingsFiles>['changes']>>;
type Undone = ReturnType<Changes['undo']>;

export interface UndoSettings {
  readonly paths: readonly string[];
  /** The number of changes to undo. */
  readonly steps: number;
  readonly stateDir: string;
  readonly cwd: string;
  readonly agent: string;
  readonly dryRun?: boolean;
}

export async function undoSettings({ paths, steps, dryRun = false, ...place }: UndoSettings): Promise<Undone> {
  const changes = await settingsFiles(place).changes();
  const real = paths.map((path) => locateSettings(place.cwd, path).path);
  const newest = [...new Set(real)]
    .flatMap((path) => changes.list({ path, inEffect: true, limit: steps }))
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, steps);
  if (newest.length < steps) return tooFew(newest.length, steps, real);
  if (!dryRun) for (const { path } of newest.flatMap(({ files }) => files)) refuseReadOnly(path);
  return changes.undo(
    newest.map(({ id }) => id),
    { dryRun, operator: true },
  );
}

function tooFew(found: number, wanted: number, paths: readonly string[]): Undone {
  const count = found === 0 ? 'no change of settings' : `only ${found} of ${wanted} changes of settings`;
  return {
    ok: false,
    reason: 'nothing-to-do',
    message: `${count} can be undone in ${paths.join(', ')}`,
    hint: 'name another file with --file',
    conflicts: [],
  };
}
