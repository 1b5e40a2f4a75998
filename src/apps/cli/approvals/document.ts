/** `approvals get` and `set`: print and replace the approvals file. */
import { readFileSync } from 'node:fs';
import { readFault } from '../../../hosts/files/faults.ts';
import type { ApprovalsFile } from '../../../hosts/approvals/shape.ts';
import { JsonObject, type JsonValue, readJson } from '../../../text/json/value.ts';
import type { Output } from '../../terminal/output.ts';
import { shapeOf } from '../definition.ts';
import { readArguments, usage } from '../arguments.ts';
import { escaped } from './escape-text.ts';
import { definition } from './definition.ts';
import { printJson } from '../print-json.ts';
import { visible } from '../../terminal/visible.ts';

const GET = shapeOf(definition, 'get');
const SET = shapeOf(definition, 'set');

interface DocumentContext {
  readonly file: ApprovalsFile;
  readonly output: Output;
  readonly json: boolean;
  readonly input: () => string;
}

export function runGet(argv: readonly string[], { file, output, json }: DocumentContext): number {
  readArguments(GET, argv);
  const { broken } = file.rulesFor('*');
  const document = { ...file.show(), ...(broken === undefined ? {} : { broken }) };
  if (json) printJson(output, document);
  else {
    output.out(`${escaped(document.path)}${document.exists ? '' : ' (does not exist yet)'}\nhash ${document.hash}\n`);
    if (broken !== undefined) output.out(`invalid, so every judged command is denied: ${escaped(broken)}\n`);
    // Of a file that is not JSON, nothing is shown: the place of its token is unknown.
    if (document.file !== null) output.out(`${visible(JSON.stringify(document.file, null, 2))}\n`);
  }
  return 0;
}

export function runSet(argv: readonly string[], { file, output, json, input }: DocumentContext): number {
  const { positionals, options } = readArguments(SET, argv);
  const parsed = readJson(positionals[0] === undefined ? input() : contentOf(positionals[0]));
  if ('error' in parsed) throw usage(SET, `the input is not JSON: ${parsed.error.message}`);
  const given = unwrapped(parsed.value);
  const baseHash = options['base-hash'] ?? given.hash;
  if (baseHash === undefined)
    throw usage(
      SET,
      'the hash of the replaced version is missing',
      'edit the output of pincer approvals get, or add --base-hash',
    );
  file.replace(given.file, baseHash);
  const { path, hash } = file.show();
  if (json) printJson(output, { path, hash });
  else output.out(`replaced ${escaped(path)}\nhash ${hash}\n`);
  return 0;
}

/** Accepts the output of `get` (file and hash), or the file alone. */
function unwrapped(value: JsonValue): { readonly file: JsonValue; readonly hash?: string } {
  if (!(value instanceof JsonObject)) return { file: value };
  const members = new Map(value.entries);
  const [file, hash] = [members.get('file'), members.get('hash')];
  return file !== undefined && typeof hash === 'string' && !members.has('version') ? { file, hash } : { file: value };
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw readFault(error, path);
  }
}
