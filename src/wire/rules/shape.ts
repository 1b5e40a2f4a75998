/** The shape of a call: what an entry for a program without a profile allows. */
import { array, type Infer, literal, object, string, union } from '../schema.ts';

/** One word of a call that a person has allowed: exactly this text, a number behind a fixed text, or any file of the folder. */
export const shapePart = union(
  'kind',
  object({ kind: literal('word'), text: string() }),
  /** `--depth=3` is a number after `--depth=`; `3` is a number after nothing. */
  object({ kind: literal('number'), after: string() }),
  object({ kind: literal('file') }),
);
export type ShapePart = Infer<typeof shapePart>;

/** The arguments of a call with numbers free. Options may come in any order, each with the words that follow it. */
export const shape = array(shapePart);
export type Shape = Infer<typeof shape>;

/** The shape as a person reads it: `scan --depth=<number> <any file here>`. */
export function shapeText(shape: Shape): string {
  return shape
    .map((part) => {
      if (part.kind === 'file') return '<any file here>';
      if (part.kind === 'number') return `${part.after}<number>`;
      return /^[\w@%+=:,./-]+$/u.test(part.text) ? part.text : `'${part.text.replaceAll("'", String.raw`'\''`)}'`;
    })
    .join(' ');
}
