import type { KindName } from '../kind.ts';

const BY_EXTENSION: Readonly<Record<string, KindName>> = {
  md: 'md',
  markdown: 'md',
  json: 'jsonc',
  jsonc: 'jsonc',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  yaml: 'yaml',
  yml: 'yaml',
  lobster: 'yaml',
};

/** `.env`, `.env.local`, `prod.env`. */
const DOTENV = /^\.env(?:\..+)?$|\.env$/iu;

/** The kind for a file name: `none` if it has no extension, undefined if the extension is unknown. */
export function kindOfFile(name: string): KindName | 'none' | undefined {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const dot = base.lastIndexOf('.');
  const known = dot <= 0 ? 'none' : BY_EXTENSION[base.slice(dot + 1).toLowerCase()];
  // `.env.yaml` is YAML; every other name of this form is an environment file.
  return (known === 'none' || known === undefined) && DOTENV.test(base) ? 'dotenv' : known;
}

export const KIND_NAMES: readonly KindName[] = ['md', 'jsonc', 'jsonl', 'yaml', 'dotenv'];
