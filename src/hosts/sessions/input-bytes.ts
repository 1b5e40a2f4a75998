import type { SessionInput } from '../../wire/session.ts';
import { encodeKeys } from './keys.ts';
import { bracketedPaste } from './paste.ts';

/** What is known of whoever reads the input. */
export interface Reader {
  readonly pty: boolean;
  readonly applicationCursor: boolean;
  readonly bracketedPaste: boolean;
}

export interface InputBytes {
  readonly bytes: Uint8Array;
  readonly warnings: readonly string[];
  readonly eof: boolean;
}

const NO_TERMINAL = 'the session has no terminal: keys go to its standard input as bytes, Enter as a line feed';
const NO_BRACKETS = 'the session has no terminal: the text is sent without paste marks';
const UNASKED = 'the program has not asked for paste marks: if it shows 200~, paste with bracketed=false';

/** The bytes that an input stands for. */
export function inputBytes(input: SessionInput, reader: Reader): InputBytes {
  const enter = reader.pty ? '\r' : '\n';
  switch (input.kind) {
    case 'write':
      return { bytes: Buffer.from(input.data, 'utf8'), warnings: [], eof: input.eof === true };
    case 'raw':
      return { bytes: Buffer.from(input.base64, 'base64'), warnings: [], eof: false };
    case 'submit':
      return { bytes: Buffer.from(enter), warnings: [], eof: false };
    case 'keys': {
      const bytes = encodeKeys(input, { applicationCursor: reader.applicationCursor, enter });
      const named = (input.keys?.length ?? 0) > 0 && !reader.pty;
      return { bytes, warnings: named ? [NO_TERMINAL] : [], eof: false };
    }
    case 'paste': {
      const wrap = input.bracketed ?? reader.pty;
      const warnings = [
        ...(input.bracketed === undefined && !reader.pty ? [NO_BRACKETS] : []),
        ...(wrap && reader.pty && !reader.bracketedPaste ? [UNASKED] : []),
      ];
      return { bytes: Buffer.from(wrap ? bracketedPaste(input.text) : input.text, 'utf8'), warnings, eof: false };
    }
  }
}
