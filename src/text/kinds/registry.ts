import type { Kind, KindName } from '../kind.ts';

export interface KindNeeds {
  /** The address enters the frontmatter of a Markdown file, which needs the YAML adapter. */
  readonly frontmatter: boolean;
}

/** Loads only the adapter of this kind: each takes a millisecond or two when a process starts. */
export async function loadKind(name: KindName, needs: KindNeeds = { frontmatter: true }): Promise<Kind> {
  switch (name) {
    case 'jsonc':
      return (await import('./jsonc/jsonc.ts')).jsonc;
    case 'jsonl':
      return (await import('./jsonl/jsonl.ts')).jsonl;
    case 'dotenv':
      return (await import('./dotenv/dotenv.ts')).dotenv;
    case 'yaml':
      return (await import('./yaml/yaml.ts')).yaml;
    case 'md':
      if (!needs.frontmatter) return (await import('./markdown/body.ts')).markdownBody;
      return (await import('./markdown/markdown.ts')).markdown;
  }
}
