import { DEFAULT_AGENT } from '../../wire/actor.ts';
import { UNKNOWN_CLIENT } from '../../wire/client-name.ts';
import type { Author, Files } from './shape.ts';
import { realPlaceOf } from '../obeyed/reading.ts';
import { Boundary, boundaryBase } from './gate/boundary.ts';
import { hashOf } from './content-hash.ts';
import { closeCachedDescriptors } from './cache/descriptor-cache.ts';
import { leftovers } from './batch/leftovers.ts';
import { lineCounts } from './cache/line-counts.ts';
import { locate, locateOperator, openSlot, type SlotBase } from './gate/locate.ts';
import type { ObeyedSearch } from './gate/obeyed-search.ts';
import { openFile } from './gate/open.ts';
import type { Protection } from './gate/protect.ts';
import type { Recorder } from './changes/recorder-shape.ts';
import { Root } from './gate/root.ts';
import type { HardLinks } from './write/write-options.ts';

export interface FilesOptions {
  /** The workspace: relative paths start here, and no slot of an address may leave it. */
  readonly cwd: string;
  /** Where locks, journals and line counts are kept. */
  readonly stateDir: string;
  /** How long to wait for another writer (default: 30 seconds). */
  readonly lockWaitMs?: number;
  /** When to give up waiting for locks in any case, in `Date.now()` time. */
  readonly lockDeadline?: () => number;
  /** Whether the paths of tools must stay in the workspace (default: true); slots of addresses always must. */
  readonly workspaceOnly?: boolean;
  /** The home folder for `~/`; without it such paths are refused. */
  readonly home?: string;
  /** The author of writes; without one changes are not recorded. */
  readonly author?: Author;
  /** The name of the record of changes. Default: the real path of the workspace. */
  readonly record?: string;
  /** Records the changes instead of the default recorder of `author`. */
  readonly recorder?: Recorder;
  /** Whether the records are stored separately, so that later changes do not displace them. */
  readonly keepsRecord?: true;
  /** What to do with files that have hard links (default: `refuse-writes`). */
  readonly hardLinks?: HardLinks;
  /** Whether writes survive a power failure (default: true). */
  readonly durable?: boolean;
  /** Called before each write that loses something; without it `takeWarnings` returns the warnings. */
  readonly onWarning?: (warning: string) => void;
  /** What inside the boundary tools may not write (default: `git`). */
  readonly protect?: Protection;
  /**
   * Whether a new writer first searches the workspace for obeyed files, in steps, because other work shares this process.
   * Default: false; then the first write that needs the search runs it synchronously.
   */
  readonly searchAhead?: boolean;
}

/** The author for a reader of the record: it owns no change. */
const NOBODY: Author = { agent: DEFAULT_AGENT, client: UNKNOWN_CLIENT };

export interface LocalFiles extends Files {
  /** Closes all descriptors; later calls throw FS_CLOSED. */
  close(): void;
}

/** The files of this machine. It pins the workspace now, so that a folder that gets its name later is not used. */
export function localFiles(options: FilesOptions): LocalFiles {
  const { cwd, stateDir, workspaceOnly = true } = options;
  const root = pinnedOnce(cwd);
  const readHardLinks = options.hardLinks !== 'refuse';
  const slots = (): SlotBase => ({ root: root(), stateDir, readHardLinks });
  let gate: Boundary | undefined;
  let machine: Root | undefined;
  const boundary = (): Boundary => {
    gate ??= new Boundary({
      ...boundaryBase(root(), workspaceOnly ? undefined : (machine ??= Root.pin('/'))),
      home: options.home,
      stateDir,
      readHardLinks,
    });
    return gate;
  };
  const record = (): string => options.record ?? root().path;
  let warnings: string[] = [];
  const warn = (warning: string): void => {
    if (options.onWarning === undefined) warnings.push(warning);
    else options.onWarning(warning);
  };
  const recorder = async (): Promise<Recorder | undefined> => {
    if (options.recorder !== undefined || options.author === undefined) return options.recorder;
    const { changeRecorder } = await import('./changes/recorder.ts');
    return changeRecorder({ stateDir, workspace: record(), author: options.author, warn, isKept: options.keepsRecord });
  };
  const files: LocalFiles = {
    close() {
      closeCachedDescriptors();
      root.pinned()?.close();
      machine?.close();
    },
    get workspace() {
      return root().path;
    },
    get workspaceId() {
      return root().id;
    },
    workspaceOnly,
    openPath: (path) => boundary().open(path),
    placeOf: (path, leaf = 'target') => boundary().place(path, leaf),
    nameOf: (file) => boundary().nameOf(file),
    list: (path) => boundary().list(path),
    locate: (slot) => locate(slots(), slot),
    locateOperator: (path) => locateOperator(cwd, path),
    open: (file) => openFile(file, readHardLinks || file.root === undefined ? 'read' : 'refuse'),
    openSlot: (slot) => openSlot(slots(), slot),
    hashOf,
    hasLeftovers: () => leftovers(stateDir).length > 0,
    lineCounts: () => lineCounts(stateDir),
    writer: async (purpose) => {
      const { fileWriter } = await import('./write/writer.ts');
      const searched = options.searchAhead === true ? await searchWorkspace(root.pinned(), options) : undefined;
      return fileWriter({ ...options, warn, ...(searched && { searched }) }, purpose, await recorder());
    },
    takeWarnings: () => {
      const taken = new Set(warnings); // a write that was tried twice warns twice
      warnings = [];
      return [...taken];
    },
    changes: async ({ toWrite } = { toWrite: false }) => {
      const [{ openChanges }, { fileWriter }, searched] = await Promise.all([
        import('./changes/changes.ts'),
        import('./write/writer.ts'),
        toWrite ? searchWorkspace(root.pinned(), options) : undefined,
      ]);
      return openChanges({
        stateDir,
        workspace: record(),
        author: options.author ?? NOBODY,
        warn,
        files,
        writer: (own, purpose) => fileWriter({ ...options, warn, ...(searched && { searched }) }, purpose, own),
      });
    },
  };
  return files;
}

async function searchWorkspace(
  root: Root | undefined,
  { cwd, home, protect }: FilesOptions,
): Promise<ObeyedSearch | undefined> {
  if (protect === 'none') return undefined;
  const [{ searchObeyed }, { homesOf }] = await Promise.all([
    import('./gate/obeyed-search.ts'),
    import('./gate/protect-home.ts'),
  ]);
  return searchObeyed(new Set([root?.path ?? realPlaceOf(cwd), realPlaceOf(cwd)]), homesOf(home));
}

/** Pins the root now. If that fails, the first use of the root throws. */
function pinnedOnce(cwd: string): { (): Root; pinned(): Root | undefined } {
  let root: Root | undefined;
  try {
    root = Root.pin(cwd);
  } catch {
    // pinned again below, where the caller gets the fault
  }
  return Object.assign(() => (root ??= Root.pin(cwd)), { pinned: () => root });
}
