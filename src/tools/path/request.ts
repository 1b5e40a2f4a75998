import { Fault } from '../../base/fault.ts';
import type { ByteSource, Files, Located, OpenFile } from '../../hosts/files/shape.ts';
import type { OcPath } from '../../text/address/address.ts';
import { parseOcPath } from '../../text/address/parse.ts';
import type { KindName } from '../../text/kind.ts';
import { KIND_NAMES, kindOfFile } from '../../text/kinds/extension.ts';
import { secretFile } from '../secrets/secrets.ts';

/** Where a verb looks: the address decides, unless the operator named the file or the kind. */
export interface Target {
  /** The operator's own file, instead of the file slot. */
  readonly file?: string | undefined;
  /** The kind, instead of what the extension says. */
  readonly kind?: string | undefined;
  /** Whether a file of these names and this content is hidden from the agent that asks; the operator sees everything. */
  readonly hides?: (names: readonly string[], content: ByteSource) => boolean;
}

/** An address with the kind of document it goes into. */
export interface Question {
  readonly path: OcPath;
  readonly typed: string;
  readonly kind: KindName;
}

/** Reads an address for a target; no file is touched. */
export function readQuestion(typed: string, target: Target): Question {
  const told = toldKind(target);
  const path = told === undefined ? parseOcPath(typed) : parseOcPath(typed, { deep: told !== 'md' });
  return { path, typed, kind: told ?? kindOf(path.file) };
}

/** The kind that `--kind` or the name given with `--file` tells, if any. */
export function toldKind({ kind, file }: Target): KindName | undefined {
  if (kind !== undefined) {
    const known = KIND_NAMES.find((name) => name === kind);
    if (known === undefined)
      throw new Fault('USAGE_UNKNOWN_KIND', `${kind} is no kind of document`, {
        hint: `kinds: ${KIND_NAMES.join(', ')}`,
      });
    return known;
  }
  const told = file === undefined ? undefined : kindOfFile(file);
  return told === 'none' ? undefined : told;
}

/** The kind of a file by its name; a name without extension is Markdown. */
export function kindOf(name: string): KindName {
  const kind = kindOfFile(name);
  if (kind === undefined)
    throw new Fault('USAGE_UNKNOWN_KIND', `the extension of ${name} tells no kind of document`, {
      hint: `say it with --kind ${KIND_NAMES.join('|')}`,
    });
  return kind === 'none' ? 'md' : kind;
}

export function locateTarget(files: Files, question: Question, target: Target): Located {
  return target.file === undefined ? files.locate(question.path.file) : files.locateOperator(target.file);
}

/** The target, open for reading. */
export function openTarget(files: Files, question: Question, target: Target): OpenFile {
  if (target.file !== undefined) return files.open(files.locateOperator(target.file));
  const file = files.openSlot(question.path.file);
  // The values of an environment are masked; other kinds are not shown at all.
  if (question.kind === 'dotenv' || !isHidden(file, question.path, target)) return file;
  file.close();
  throw secretFile(question.path.file);
}

/** Whether a file is kept from the one who asks, by the name in the address, by the file's own or by its content. */
export function isHidden(file: OpenFile, { file: slot }: OcPath, { hides }: Target): boolean {
  return hides?.([slot, file.located.path], file) === true;
}
