/** Loads packages only from Pincer's own installation: Node would also search the home folder and NODE_PATH. */
import Module from 'node:module';

/**
 * Removes Node's global folders (`~/.node_modules`, `~/.node_libraries`, NODE_PATH) from the package search of this process.
 * Node computes them from the environment at its start, and this is the only way to make it compute them again.
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
