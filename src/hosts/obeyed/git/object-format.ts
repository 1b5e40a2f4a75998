/** How a repository names its objects, which decides how its index is read. */
import type { GitSetting } from './git-config.ts';

/** The hash by which objects are named. */
export type ObjectFormat = 'sha1' | 'sha256';

/**
 * The format that git takes. It reads it from the shared file alone, without includes, and only beside the version of the
 * format. `all` are the settings of all files. Undefined for whatever git does not write itself.
 */
export function objectFormatOf(main: readonly GitSetting[], all: readonly GitSetting[]): ObjectFormat | undefined {
  const formats = all.filter(({ name }) => name === 'extensions.objectformat');
  const versions = all.filter(({ name }) => name === 'core.repositoryformatversion');
  const [format] = formats;
  if (format === undefined) return 'sha1';
  const [version] = versions;
  const isPlain =
    formats.length === 1 &&
    versions.length === 1 &&
    [format, version].every((each) => each !== undefined && each.subsection === undefined && main.includes(each)) &&
    version?.value === '1';
  if (!isPlain) return undefined;
  return format.value === 'sha1' || format.value === 'sha256' ? format.value : undefined;
}
