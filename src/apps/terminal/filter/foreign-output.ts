/** Where the output of foreign programs goes: through the filter on a terminal, byte for byte elsewhere. */
import { type Output, unfiltered } from '../output.ts';
import { TerminalFilter } from './filter.ts';

/** What a foreign program wrote, to be shown piece by piece. */
export interface ForeignOutput {
  out(bytes: Uint8Array): void;
  err(bytes: Uint8Array): void;
  /** There is no more of it. Whatever is said next is said without its styles. */
  end(): void;
}

/** Each stream has a filter of its own where it ends at a terminal; `raw` asks for the bytes there, too. */
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

/** One piece of foreign text that is complete in itself: a line of a table, a message. */
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
