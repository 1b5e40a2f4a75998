/** Starts something with the mask that its files are to be made with, and takes the own one again. */
export function withMask<T>(umask: number | undefined, start: () => T): T {
  if (umask === undefined) return start();
  const own = process.umask(umask);
  try {
    return start();
  } finally {
    process.umask(own);
  }
}
