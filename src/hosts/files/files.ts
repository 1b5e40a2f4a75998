import { DEFAULT_AGENT } from '../../wire/actor.ts';
import { UNKNOWN_CLIENT } from '../../wire/client-name.ts';
import type { Author, Files } from './shape.ts';
import { realPlaceOf } from '../obeyed/reading.ts';
import { Boundary, boundaryBase } from './gate/boundary.ts';
import { hashOf } from './content-hash.ts';
import { letGoOfHeld } from './cache/descriptor-cache.ts';
import { leftovers } from './batch/leftovers.ts';
import { lineCounts } from './cache/line-counts.ts';
import { locate, locateOperator, openSlot, type SlotBase } from './gate/locate.ts';
import type { ObeyedSearch } from './gate/obeyed-search.ts';
import { openFile } from './gate/open.ts';
import type { Protection } from './gate/protect.ts';
import type { Recorder } from './changes/recorder-shape.ts';
import { Root } from './gate/root.ts';
import type { HardLinks } from './write/writing.ts';

export interface FilesOptions {
  /** The workspace: where names start, and what a slot may not leave. */
  readonly cwd: string;
  /** Where locks, journals and line counts are kept. */
  readonly stateDir: string;
  /** How long a writer waits for another one (default: 30 seconds). */
  readonly lockWaitMs?: number;
  /** When a wait for locks gives up in any case, in `Date.now()` time. */
  readonly lockDeadline?: () => number;
  /** Whether tools' paths may leave the workspace when it is false; slots of addresses never may. */
  readonly workspaceOnly?: boolean;
  /** What `~/` stands for; without it such paths are refused. */
  readonly home?: string;
  /** Who writes; changes are recorded when it is given. */
  readonly author?: Author;
  /** The name of the record of changes. Default: the real path of the workspace. */
  readonly record?: string;
  /** Keeps the record of changes instead of the one that `author` asks for. */
  readonly recorder?: Recorder;
  /** Whether records are kept apart from the others, so that no later change displaces them. */
  readonly keepsRecord?: true;
  /** What to do with files of several names (default: `refuse-writes`). */
  readonly hardLinks?: HardLinks;
  /** Whether writes outlive a power cut (default: true). */
  readonly durable?: boolean;
  /** Called with what a write loses, before it is written; without it `takeWarnings` has it. */
  readonly onWarning?: (warning: string) => void;
  /** What inside the boundary tools may not write (default: `git`). */
  readonly protect?: Protection;
  /**
   * Whether a new writer searches the workspace for what programs obey, in steps, because others share this process.
   * Default: false; then a write that needs it searches in one piece.
   */
  readonly searchAhead?: boolean;
}

/** Whoever only looks at the record: no change is its own. */
const NOBODY: Author = { agent: DEFAULT_AGENT, client: UNKNOWN_CLIENT };

/** Files that can be closed. */
export interface LocalFiles extends Files {
  /** Closes every descriptor that is held for them; whoever uses them afterwards hears FS_CLOSED. */
  close(): void;
}

/** The files of this machine. The workspace is pinned now, and whatever takes its name later is not it. */
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
      letGoOfHeld();
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
      const taken = new Set(warnings); // a write that was tried twice says the same twice
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

/** The root, pinned at once; a workspace that is not there is a fault only for those who need it. */
function pinnedOnce(cwd: string): { (): Root; pinned(): Root | undefined } {
  let root: Root | undefined;
  try {
    root = Root.pin(cwd);
  } catch {
    // asked again below, where the fault has somebody to hear it
  }
  return Object.assign(() => (root ??= Root.pin(cwd)), { pinned: () => root });
}
