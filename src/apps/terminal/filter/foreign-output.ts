/** Writes the output of untrusted programs: filtered on a terminal, unchanged elsewhere. */
import { type Output, unfiltered } from '../output.ts';
import { TerminalFilter } from './filter.ts';

export interface ForeignOutput {
  out(bytes: Uint8Array): void;
  err(bytes: Uint8Array): void;
  /** The end of the output; resets its styles. */
  end(): void;
}

/** `raw` disables the filter on a terminal. */
export function foreignOutput(output: Output, raw: boolean): ForeignOutput {
  const plain = unfiltered(output);
  const out = filtered((bytes) => plain.out(bytes), output.isTerminal && !raw, output.colour);
  const err = filtered((bytes) => plain.err(bytes), output.errorIsTerminal && !raw, output.colour);
  return {
    out: out.write,
    err: err.write,
    end() {
      out.end();
      err.end();
    },
  };
}

/** A complete untrusted text, such as a line of a table or a message. */
export function foreignText(text: string, output: Output): string {
  if (!output.isTerminal) return text;
  const filter = new TerminalFilter(output);
  const start = filter.write(Buffer.from(text));
  return Buffer.concat([start, filter.end()]).toString();
}

function filtered(pass: (bytes: Uint8Array) => void, needsFilter: boolean, colour: boolean) {
  if (!needsFilter) return { write: pass, end: () => {} };
  const filter = new TerminalFilter({ colour });
  const passAny = (bytes: Uint8Array): void => {
    if (bytes.length > 0) pass(bytes);
  };
  return {
    write: (bytes: Uint8Array): void => passAny(filter.write(bytes)),
    end: (): void => passAny(filter.end()),
  };
}
