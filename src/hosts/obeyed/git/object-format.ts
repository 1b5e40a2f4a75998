/** The object format of a repository, which determines the layout of its index. */
import type { GitSetting } from './git-config.ts';

export type ObjectFormat = 'sha1' | 'sha256';

/**
 * The format that git uses. Git reads it from the shared file only, without includes, and only together with the format
 * version. `all` are the settings of all files. Undefined for any form that git does not write itself.
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
