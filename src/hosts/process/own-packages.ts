/** Packages come from the installation of Pincer only: Node would also look in the home and where NODE_PATH says. */
import Module from 'node:module';

/** What decides about Node's global folders of packages. */
const DECIDING = ['HOME', 'USERPROFILE', 'NODE_PATH'] as const;

/**
 * Takes Node's global folders (`~/.node_modules`, `~/.node_libraries`, NODE_PATH) out of the search for packages in this process.
 * Node computes them from the environment when it starts, and this is the only way to have it compute them again.
 */
export function useOwnPackagesOnly(): void {
  const { _initPaths: computePaths } = Module as { readonly _initPaths?: () => void };
  if (computePaths === undefined) return; // a Node without global folders
  const kept = DECIDING.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  for (const [name] of kept) delete process.env[name];
  try {
    computePaths();
  } finally {
    for (const [name, value] of kept) process.env[name] = value;
  }
}
