/** `pincer read|write|edit|patch`: turn command lines into tool calls. */
import { readFileSync } from 'node:fs';
import { Fault } from '../../../base/fault.ts';
import { reason } from '../../../hosts/files/faults.ts';
import { decodeText } from '../../../text/lines/bytes.ts';
import { readAllInput } from '../input.ts';
import { type CommandShape, type ParsedArguments, usage } from '../arguments.ts';
import { type CommandDefinition, shapeOf } from '../definition.ts';
import { positiveInteger } from '../toolbox-options.ts';
import { readJsonText } from '../call/read-call.ts';
import * as definitions from './definition.ts';

type Parameters = Readonly<Record<string, unknown>>;

export interface FileCommand {
  readonly definition: CommandDefinition;
  readonly shape: CommandShape;
  readonly tool: string;
  parameters(args: ParsedArguments): Parameters;
}

const read: FileCommand = {
  tool: 'read',
  definition: definitions.read,
  shape: shapeOf(definitions.read),
  parameters({ positionals: [path], flags, options }) {
    const { cursor, encoding, pages } = options;
    return {
      path,
      ...linesOf(this.shape, options),
      ...defined({ cursor, encoding, pages }),
      ...(flags.has('numbers') ? { lineNumbers: true } : {}),
    };
  },
};

const write: FileCommand = {
  tool: 'write',
  definition: definitions.write,
  shape: shapeOf(definitions.write),
  parameters({ positionals: [path, text], flags }) {
    return {
      path,
      ...(text === undefined || text === '-' ? contentOf(readSource('-')) : { content: text }),
      ...previewOf(flags),
    };
  },
};

const edit: FileCommand = {
  tool: 'edit',
  definition: definitions.edit,
  shape: shapeOf(definitions.edit),
  parameters({ positionals: [path], flags, options }) {
    const { edits } = options;
    const preview = previewOf(flags);
    if (edits === undefined) {
      const oldText = oneText(this.shape, options, 'old');
      const newText = oneText(this.shape, options, 'new');
      return { path, oldText, newText, ...(flags.has('all') ? { replaceAll: true } : {}), ...preview };
    }
    const other = ['old', 'new', 'old-file', 'new-file'].find((name) => options[name] !== undefined);
    if (other !== undefined) throw usage(this.shape, `--edits and --${other} exclude each other`);
    if (flags.has('all'))
      throw usage(this.shape, '--edits and --all exclude each other', 'add "replaceAll": true to an edit');
    return {
      path,
      edits: readJsonText(edits === '-' ? readTextSource('-') : edits, '--edits'),
      ...preview,
    };
  },
};

const patch: FileCommand = {
  tool: 'apply_patch',
  definition: definitions.patch,
  shape: shapeOf(definitions.patch),
  parameters({ positionals: [file], flags }) {
    // Keeps bytes that are not UTF-8: a patch of a file in another encoding contains them.
    const input = decodeText(readSource(file ?? '-'));
    return { input, ...(flags.has('overwrite') ? { overwrite: true } : {}), ...previewOf(flags) };
  },
};

export const FILE_COMMANDS: Readonly<Record<string, FileCommand>> = { read, write, edit, patch };

function previewOf(flags: ReadonlySet<string>): Parameters {
  return flags.has('dry-run') ? { dryRun: true } : {};
}

/** Base64 if the bytes are not UTF-8. */
function contentOf(bytes: Uint8Array): Parameters {
  try {
    return { content: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { content: Buffer.from(bytes).toString('base64'), encoding: 'base64' };
  }
}

function linesOf(shape: CommandShape, { lines, offset, limit }: ParsedArguments['options']): Parameters {
  if (lines === undefined)
    return {
      ...(offset === undefined ? {} : { offset: lineNumber(shape, offset) }),
      ...(limit === undefined ? {} : { limit: positiveInteger(shape, '--limit', limit) }),
    };
  if (offset !== undefined || limit !== undefined) throw usage(shape, '--lines excludes --offset and --limit');
  const [, from, dash, to] = /^(\d+)(-?)(\d*)$/u.exec(lines) ?? [];
  if (from === undefined) throw usage(shape, `--lines must be A-B, A- or A, not ${JSON.stringify(lines)}`);
  const first = positiveInteger(shape, '--lines', from);
  if (dash === '-' && to === '') return { offset: first };
  const last = dash === '' ? first : positiveInteger(shape, '--lines', to ?? '');
  if (last < first) throw usage(shape, `--lines ${lines} ends before it begins`);
  return { offset: first, limit: last - first + 1 };
}

/** Negative numbers count from the end. */
function lineNumber(shape: CommandShape, value: string): number {
  return value.startsWith('-')
    ? -positiveInteger(shape, '--offset', value.slice(1))
    : positiveInteger(shape, '--offset', value);
}

/** The text of `--old` or `--new`, from the command line or from a file. */
function oneText(shape: CommandShape, options: ParsedArguments['options'], name: 'old' | 'new'): string {
  const typed = options[name];
  const file = options[`${name}-file`];
  if (typed !== undefined && file !== undefined) throw usage(shape, `--${name} and --${name}-file exclude each other`);
  if (typed !== undefined) return typed;
  if (file === undefined) throw usage(shape, `--${name} or --${name}-file is missing`);
  return readTextSource(file);
}

function defined(members: Readonly<Record<string, string | undefined>>): Parameters {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** A file of the operator, or standard input for `-`. The boundary of the workspace does not apply. */
function readSource(source: string): Uint8Array {
  try {
    return source === '-' ? readAllInput() : readFileSync(source);
  } catch (error) {
    throw new Fault('FS_UNREADABLE', `${source === '-' ? 'standard input' : source} cannot be read: ${reason(error)}`, {
      hint: 'name a readable file, or - for standard input',
      cause: error,
    });
  }
}

function readTextSource(source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readSource(source));
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault('USAGE_ARGUMENTS', `${source === '-' ? 'standard input' : source} is not UTF-8 text`, {
      hint: 'save it as UTF-8',
      cause: error,
    });
  }
}
