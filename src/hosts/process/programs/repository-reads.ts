/** The repositories that a judgement has read, and whether their settings and hooks are still the same. */
import type { RepositoryFacts } from '../../../wire/policy.ts';
import { repositoryFactsReader } from './repository-facts.ts';

export interface RepositoryReads {
  readonly repositoryAt: (folder: string) => RepositoryFacts | undefined;
  /** The first repository whose settings, hooks or submodules differ from what was read; undefined where none does. */
  changed(): string | undefined;
}

/** Caches what it reads, so an instance is for a single judgement. */
export function repositoryReads(workspace: string): RepositoryReads {
  const read = repositoryFactsReader(workspace);
  const known = new Map<string, RepositoryFacts | undefined>();
  return {
    repositoryAt(folder) {
      const facts = read(folder);
      known.set(folder, facts);
      return facts;
    },
    changed() {
      if (known.size === 0) return undefined;
      const readAgain = repositoryFactsReader(workspace);
      const other = [...known].find(([folder, facts]) => JSON.stringify(readAgain(folder)) !== JSON.stringify(facts));
      return other === undefined ? undefined : `the repository of ${other[0]}`;
    },
  };
}
