/**
 * Whether a path is a folder or inside it, compared as text: both are normalised, and both are absolute or both are
 * relative. A separator at the end of either changes nothing, and `/` contains every absolute path.
 */
export function isInside(path: string, folder: string, separator = '/'): boolean {
  return (path + separator).startsWith(folder.endsWith(separator) ? folder : folder + separator);
}

/** Whether a path is inside a folder and is not the folder itself. */
export function isBelow(path: string, folder: string, separator = '/'): boolean {
  return path !== folder && isInside(path, folder, separator);
}

/** The part of a path after the folder that it is below; undefined where `isBelow` says no. */
export function partBelow(path: string, folder: string, separator = '/'): string | undefined {
  if (!isBelow(path, folder, separator)) return undefined;
  return path.slice(folder.endsWith(separator) ? folder.length : folder.length + 1);
}
