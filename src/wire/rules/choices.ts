/** Settings that choose how commands without a rule are treated. */
import { type Infer, oneOf } from '../schema.ts';

/** Programs with profiles that pass without an entry: none, those that read, or also those that write in the workspace. */
export const STARTERS = ['none', 'read', 'workspace'] as const;
export const starter = oneOf(STARTERS);
export type Starter = Infer<typeof starter>;
/** Whether compound commands ask, or run as steps without a shell. */
export const COMPOUNDS = ['ask', 'steps'] as const;
export const compound = oneOf(COMPOUNDS);
export type Compound = Infer<typeof compound>;
/** What an entry without arguments allows for a program without a profile: what a screen accepts, or shapes that were allowed. */
export const UNPROFILED = ['screen', 'shapes'] as const;
export const unprofiled = oneOf(UNPROFILED);
export type Unprofiled = Infer<typeof unprofiled>;
/** What happens to a command that no rule covers: a person is asked, or it runs in the sandbox. */
export const ON_MISSES = ['ask', 'sandbox'] as const;
export const onMiss = oneOf(ON_MISSES);
export type OnMiss = Infer<typeof onMiss>;
