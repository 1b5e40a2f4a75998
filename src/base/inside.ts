/**
 * Whether a path is a folder or inside it. Compares strings: both must be normalised, and both absolute or both relative.
 * Trailing separators are ignored, and `/` contains every absolute path.
 */
export function isInside(path: string, folder: string, separator = '/'): boolean {
  return (path + separator).startsWith(folder.endsWith(separator) ? folder : folder + separator);
}

/** Like `isInside`, but false for the folder itself. */
export function isBelow(path: string, folder: string, separator = '/'): boolean {
  return path !== folder && isInside(path, folder, separator);
}

/** The path relative to the folder; undefined where it is not below the folder. */
export function partBelow(path: string, folder: string, separator = '/'): string | undefined {
  if (!isBelow(path, folder, separator)) return undefined;
  return path.slice(folder.endsWith(separator) ? folder.length : folder.length + 1);
}
