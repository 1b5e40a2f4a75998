/** What is said of files that can be written from inside of a sandbox although they should be guarded. */

/** One path: the host replaced what its guard was put on, or it has no guard because it is new. */
export interface LostGuard {
  readonly path: string;
  readonly cause: 'replaced' | 'new';
}

const CAUSES = { replaced: 'was replaced on the host', new: 'is new and not guarded' } as const;

/** The path and the cause. */
export function lostGuardText({ path, cause }: LostGuard, more = ''): string {
  return `${JSON.stringify(path)}${more} ${CAUSES[cause]}`;
}
