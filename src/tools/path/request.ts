import { Fault } from '../../base/fault.ts';
import type { ByteSource, Files, Located, OpenFile } from '../../hosts/files/shape.ts';
import type { OcPath } from '../../text/address/address.ts';
import { parseOcPath } from '../../text/address/parse.ts';
import type { KindName } from '../../text/kind.ts';
import { KIND_NAMES, kindOfFile } from '../../text/kinds/extension.ts';
import { secretFile } from '../secrets/secrets.ts';

/** Overrides of the address by the operator. */
export interface Target {
  /** `--file`, instead of the file slot. */
  readonly file?: string | undefined;
  /** `--kind`, instead of the kind of the extension. */
  readonly kind?: string | undefined;
  /** Whether to hide a file with these names and this content; absent for the operator. */
  readonly hides?: (names: readonly string[], content: ByteSource) => boolean;
}

export interface AddressRequest {
  readonly path: OcPath;
  readonly typed: string;
  readonly kind: KindName;
}

/** Accesses no file. */
export function parseRequest(typed: string, target: Target): AddressRequest {
  const explicit = explicitKind(target);
  const path = explicit === undefined ? parseOcPath(typed) : parseOcPath(typed, { deep: explicit !== 'md' });
  return { path, typed, kind: explicit ?? kindOf(path.file) };
}

/** The kind of `--kind`, else of the extension of `--file`. */
export function explicitKind({ kind, file }: Target): KindName | undefined {
  if (kind !== undefined) {
    const known = KIND_NAMES.find((name) => name === kind);
    if (known === undefined)
      throw new Fault('USAGE_UNKNOWN_KIND', `unknown kind of document: ${kind}`, {
        hint: `kinds: ${KIND_NAMES.join(', ')}`,
      });
    return known;
  }
  const byName = file === undefined ? undefined : kindOfFile(file);
  return byName === 'none' ? undefined : byName;
}

/** A name without an extension is Markdown. */
export function kindOf(name: string): KindName {
  const kind = kindOfFile(name);
  if (kind === undefined)
    throw new Fault('USAGE_UNKNOWN_KIND', `unsupported file type: ${name}`, {
      hint: `set the kind with --kind ${KIND_NAMES.join('|')}`,
    });
  return kind === 'none' ? 'md' : kind;
}

export function locateTarget(files: Files, request: AddressRequest, target: Target): Located {
  return target.file === undefined ? files.locate(request.path.file) : files.locateOperator(target.file);
}

export function openTarget(files: Files, request: AddressRequest, target: Target): OpenFile {
  if (target.file !== undefined) return files.open(files.locateOperator(target.file));
  const file = files.openSlot(request.path.file);
  // Environment files are shown with masked values; other kinds with secrets are not shown.
  if (request.kind === 'dotenv' || !isHidden(file, request.path, target)) return file;
  file.close();
  throw secretFile(request.path.file);
}

/** Checks the name in the address, the real path and the content. */
export function isHidden(file: OpenFile, { file: slot }: OcPath, { hides }: Target): boolean {
  return hides?.([slot, file.located.path], file) === true;
}
