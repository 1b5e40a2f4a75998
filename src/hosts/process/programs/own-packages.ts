/** Packages come from the installation of Pincer only: Node would also look in the home and where NODE_PATH says. */
import Module from 'node:module';

/**
 * Takes Node's global folders (`~/.node_modules`, `~/.node_libraries`, NODE_PATH) out of the search for packages in this process.
 * Node computes them from the environment when it starts, and this is the only way to have it compute them again.
 */
export function useOwnPackagesOnly(): void {
  const { _initPaths: computePaths } = Module as { readonly _initPaths?: () => void };
  if (computePaths === undefined) return; // a Node without global folders
  const { HOME, USERPROFILE, NODE_PATH } = process.env;
  const deciding = Object.entries({ HOME, USERPROFILE, NODE_PATH });
  for (const [name] of deciding) delete process.env[name];
  try {
    computePaths();
  } finally {
    for (const [name, value] of deciding) if (value !== undefined) process.env[name] = value;
  }
}
