import type { Kind, KindName } from './kind.ts';

/** Loads the adapter of a kind, and only that. */
export async function loadKind(name: KindName): Promise<Kind> {
  switch (name) {
    case 'jsonc':
      return (await import('./jsonc/jsonc.ts')).jsonc;
    case 'jsonl':
      return (await import('./jsonl/jsonl.ts')).jsonl;
    case 'yaml':
      return (await import('./yaml/yaml.ts')).yaml;
    case 'md':
      return (await import('./markdown/markdown.ts')).markdown;
  }
}
