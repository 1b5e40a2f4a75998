/** The options of a container backend. */
import type { EngineFacts } from './facts.ts';
import type { EngineName, EnginePlaces, FoundEngine } from './find-engine.ts';

/** The files that the runner runs from, bound read-only, and its command by paths inside. */
export interface ContainerAgent {
  readonly binds: readonly { readonly source: string; readonly target: string }[];
  /** With its channel on stdin and stdout. */
  readonly command: readonly string[];
  /** The files that `binds` were copied from; no sandbox may change those either. */
  readonly originals?: readonly string[];
}

export interface ContainerOptions {
  readonly engine: EngineName;
  readonly places: EnginePlaces;
  readonly agent: () => ContainerAgent | Promise<ContainerAgent>;
  /** Folders of pincer that no sandbox may see, even in a workspace: the state folder, the user's configuration. */
  readonly hidden: readonly string[];
  /** The home folder of this user. */
  readonly home: string;
  /** A folder for temporary files of pincer. */
  readonly scratch: string;
  /** The default image. */
  readonly image?: string;
  /** For probes. */
  readonly runtime?: string;
  readonly user?: string;
  /** How long the agent may take to start (default: 30 seconds). A setup command has ten minutes in addition. */
  readonly startMs?: number;
}

/** Small, with a shell, the usual programs, and glibc, which most programs are built for. */
export const DEFAULT_IMAGE = 'debian:bookworm-slim';

export interface ConnectedEngine extends FoundEngine {
  readonly facts: EngineFacts;
}
