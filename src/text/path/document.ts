import { dotenv } from '../kinds/dotenv/dotenv.ts';
import { jsonc } from '../kinds/jsonc/jsonc.ts';
import { jsonl } from '../kinds/jsonl/jsonl.ts';
import type { Document, KindName } from '../kind.ts';
import { markdown } from '../kinds/markdown/markdown.ts';
import { yaml } from '../kinds/yaml/yaml.ts';

const KINDS = { md: markdown, jsonc, jsonl, yaml, dotenv } as const;

/** Parses a text. Never throws: a malformed text yields a document with `problems`. */
export function parseDocument(text: string, kind: KindName): Document {
  return KINDS[kind].parse(text);
}
