/** Generated files of configuration: the same values in every spelling that JSON5 has, with comments in between. */
import { fc } from '../support/property.ts';

export type Data = null | boolean | number | string | Data[] | { [name: string]: Data };

const name = fc.oneof(
  fc.stringMatching(/^[a-zA-Z_$][a-zA-Z0-9_$]{0,6}$/u),
  fc.constantFrom('a.b', 'with blank', "it's", 'say "x"', 'ключ', '0', '1e3', 'true', 'Infinity', 'a\nb', '日本'),
);
const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom('// no comment', '/* nor this */', '{', '}', ',', ':', "'", '"', '\\', 'a\u2028b', '\u00e9\u{1F980}'),
);
const leaf: fc.Arbitrary<Data> = fc.oneof(
  text,
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom(0.5, -2.25, 255),
);

/** An object with something in it, and so is every object and list below it. */
export const dataObject: fc.Arbitrary<{ [name: string]: Data }> = fc.letrec<{
  any: Data;
  object: { [name: string]: Data };
}>((tie) => ({
  any: fc.oneof({ maxDepth: 3 }, leaf, tie('object'), fc.array(tie('any'), { minLength: 1, maxLength: 3 })),
  object: fc.dictionary(name, tie('any'), { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
})).object;

export interface Style {
  readonly eol: '\n' | '\r\n';
  readonly indent: '' | '  ' | '\t';
  readonly mark: '' | '\ufeff';
  readonly trailing: boolean;
  /** Draws that decide everything else, used one after the other. */
  readonly draws: readonly number[];
}

export const style: fc.Arbitrary<Style> = fc.record({
  eol: fc.constantFrom('\n', '\r\n'),
  indent: fc.constantFrom('', '  ', '\t'),
  mark: fc.constantFrom('', '\ufeff'),
  trailing: fc.boolean(),
  draws: fc.array(fc.nat(999), { minLength: 40, maxLength: 40 }),
});

/** Writes data in a style. */
export function writeJson5(data: Data, { eol, indent, mark, trailing, draws }: Style): string {
  let next = 0;
  const draw = (sides: number): number => draws[next++ % draws.length]! % sides;
  const gap = (): string => ['', '', ' ', ' /* c, } */ ', '\t', '\u00a0'][draw(6)]!;
  const quoted = (value: string, quote: '"' | "'"): string => {
    const inside = JSON.stringify(value).slice(1, -1);
    return quote === '"' ? `"${inside}"` : `'${inside.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  };
  const key = (value: string): string => {
    if (draw(2) === 0 && /^[a-zA-Z_$][\w$]*$/u.test(value)) return value;
    return quoted(value, draw(2) === 0 ? '"' : "'");
  };
  const scalar = (value: null | boolean | number | string): string => {
    if (typeof value === 'string') return quoted(value, draw(2) === 0 ? '"' : "'");
    if (value === 255 && draw(2) === 0) return '0xfF';
    if (value === 0.5 && draw(2) === 0) return draw(2) === 0 ? '.5' : '+0.5';
    return JSON.stringify(value);
  };
  const write = (value: Data, margin: string): string => {
    if (typeof value !== 'object' || value === null) return scalar(value);
    const isList = Array.isArray(value);
    const inner = margin + indent;
    const parts = isList
      ? value.map((entry) => write(entry, inner))
      : Object.entries(value).map(([one, entry]) => `${key(one)}${gap()}:${gap()}${write(entry, inner)}`);
    const [open, close] = isList ? '[]' : '{}';
    const comma = trailing ? ',' : '';
    if (indent === '') return `${open}${gap()}${parts.join(`${gap()},${gap()}`)}${gap()}${comma}${gap()}${close}`;
    const comment = (): string => ['', '', ` // it's a "comment", }`, ' /* { */'][draw(4)]!;
    const lines = parts.map((part, i) => `${inner}${part}${i < parts.length - 1 ? ',' : comma}${comment()}${eol}`);
    return `${open}${eol}${draw(3) === 0 ? `${inner}// above${eol}` : ''}${lines.join('')}${margin}${close}`;
  };
  return `${mark}${draw(2) === 0 ? `// head${eol}` : ''}${write(data, '')}${draw(2) === 0 ? eol : ''}`;
}
