import type { Kind, KindName } from '../kind.ts';

export interface KindNeeds {
  /** The address enters the frontmatter of a Markdown file, which takes the YAML adapter along; told no, it is not loaded. */
  readonly frontmatter: boolean;
}

/** Loads the adapter of a kind, and only that: each costs a millisecond or two at the start of a process. */
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
