/**
 * The `oc://` address: four slots and a scope.
 *
 *   path      = "oc://" file [ "/" section [ "/" item [ "/" field ] ] ] [ "?" query ]
 *   slot      = sub *( "." sub )
 *   sub       = quoted | json-quoted | bracket | brace | plain
 *   quoted    = DQUOTE *( any but DQUOTE, "\", control ) DQUOTE            literal text
 *   json-quoted = "$" JSON string                                          literal text, any characters
 *   bracket   = "[" key op value "]" | "[" text "]"                        predicate, or a kind's own token
 *   op        = "!=" | "<=" | ">=" | "<" | ">" | "="
 *   brace     = "{" sub *( "," sub ) "}"                                   union
 *   plain     = "*" | "**" | "$first" | "$last" | "#" digits
 *             | "+" | "+" digits | "+" key                                 insertion markers
 *             | text without white space and without / . ? & % " [ ] { }
 *   query     = pair *( "&" pair )                                         only the first non-empty session= counts
 *
 * JSON, JSONC, JSONL and YAML addresses may have more than four segments: all but the last two join the section.
 */
import { Fault } from '../../base/fault.ts';

export type OcPathCode =
  | 'OC_PATH_NOT_STRING'
  | 'OC_PATH_TOO_LONG'
  | 'OC_PATH_MISSING_SCHEME'
  | 'OC_PATH_CONTROL_CHAR'
  | 'OC_PATH_EMPTY'
  | 'OC_PATH_EMPTY_SEGMENT'
  | 'OC_PATH_EMPTY_SUB_SEGMENT'
  | 'OC_PATH_UNBALANCED'
  | 'OC_PATH_MALFORMED_PREDICATE'
  | 'OC_PATH_MALFORMED_UNION'
  | 'OC_PATH_UNQUOTABLE'
  | 'OC_PATH_RESERVED_CHAR'
  | 'OC_PATH_WHITESPACE'
  | 'OC_PATH_ABSOLUTE_FILE'
  | 'OC_PATH_PARENT_TRAVERSAL'
  | 'OC_PATH_TOO_DEEP'
  | 'OC_PATH_FILE_REQUIRED'
  | 'OC_PATH_NESTING'
  | 'OC_PATH_WILDCARD_IN_RESOLVE'
  | 'OC_PATH_FILE_WILDCARD_UNSUPPORTED'
  | 'OC_PATH_DEPTH_EXCEEDED';

/** An address that cannot be parsed or formatted. */
export class OcPathError extends Fault {
  declare readonly code: OcPathCode;
  readonly input: string;

  constructor(code: OcPathCode, message: string, input: string, hint?: string) {
    super(code, `${message}: ${shorten(input)}`, hint === undefined ? {} : { hint });
    this.name = 'OcPathError';
    this.input = input;
  }
}

/** A parsed address. Section, item and field keep their spelling, including quotes; the file is unquoted. */
export interface OcPath {
  readonly file: string;
  readonly section?: string;
  readonly item?: string;
  readonly field?: string;
  readonly session?: string;
}

/** The slot of a step. Markdown uses it (heading, item, field); the other kinds ignore it. */
export type Slot = 'section' | 'item' | 'field';

/** In UTF-8 bytes. */
export const MAX_PATH_LENGTH = 4096;
/** Sub-segments of one slot of a Markdown address. */
export const MAX_SUB_SEGMENTS_PER_SLOT = 64;
/** Levels of a document that an address or a walk may descend. */
export const MAX_TRAVERSAL_DEPTH = 256;

const SHOWN = 200;

/** Cuts an echoed input, but not inside a surrogate pair. */
function shorten(input: string): string {
  if (input.length <= SHOWN) return input;
  const last = input.charCodeAt(SHOWN - 1);
  return `${input.slice(0, last >= 0xd800 && last < 0xdc00 ? SHOWN - 1 : SHOWN)}…`;
}
