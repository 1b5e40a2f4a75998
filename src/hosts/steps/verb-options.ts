/** What a verb of a step works with. */
import type { PlannedStage } from '../../wire/policy.ts';
import type { Collector } from './collector.ts';
import type { Descriptors } from './descriptors.ts';
import type { PartEnd } from './part.ts';
import type { StepFiles } from './step-files.ts';
import type { VerbStreams } from './verb-part.ts';

export interface VerbOptions {
  readonly files: StepFiles;
  readonly streams: VerbStreams;
  readonly cwd: string;
  readonly umask: number;
  readonly stateDir: string;
  /** Resolves when all commands before it in the pipeline have ended. */
  readonly earlierEnded: () => Promise<unknown>;
  /** Runs a program and collects its output. */
  readonly outputOf: (planned: PlannedStage, descriptors: Descriptors, collector: Collector) => Promise<PartEnd>;
}
