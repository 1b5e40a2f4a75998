/** What a container backend is told, and what it finds. */
import type { EngineFacts } from './facts.ts';
import type { EngineName, EnginePlaces, FoundEngine } from './places.ts';

/** What the agent inside needs: things that are bound read-only, and how it is started by its path inside. */
export interface ContainerAgent {
  readonly binds: readonly { readonly source: string; readonly target: string }[];
  /** With its channel on standard input and output. */
  readonly command: readonly string[];
  /** What it was copied from, where it was: no sandbox may change that. */
  readonly originals?: readonly string[];
}

export interface ContainerOptions {
  readonly engine: EngineName;
  readonly places: EnginePlaces;
  readonly agent: () => ContainerAgent | Promise<ContainerAgent>;
  /** Folders of ours that no sandbox sees, also when they stand in a workspace: the state folder, the user's configuration. */
  readonly hidden: readonly string[];
  /** The home folder of this user. */
  readonly home: string;
  /** A folder of ours for what a probe needs for a moment. */
  readonly scratch: string;
  /** What runs where a specification names no image. */
  readonly image?: string;
  /** What is tried out with it. */
  readonly runtime?: string;
  readonly user?: string;
  /** How long the agent may take to announce itself (default: 30 seconds). The setup command has ten minutes beside that. */
  readonly startMs?: number;
}

/** Small, and with a shell, its usual programs and a C library that most programs are built for. */
export const DEFAULT_IMAGE = 'debian:bookworm-slim';

/** An engine that was met, and what it said of itself. */
export interface MetEngine extends FoundEngine {
  readonly facts: EngineFacts;
}
