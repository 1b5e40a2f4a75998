import type { LoadedConfig } from '../../config/load/load.ts';
import type { HookQuestion } from './client.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What a decision is made from. */
export interface Setting {
  readonly question: HookQuestion;
  readonly agent: string;
  readonly env: Environment;
  readonly loaded: LoadedConfig;
}
