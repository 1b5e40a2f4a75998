import { fc } from './property.ts';

/** JSON values with awkward keys, numbers and strings, duplicates of keys included. */
type Tree =
  | { readonly entries: readonly (readonly [string, Tree])[] }
  | { readonly items: readonly Tree[] }
  | { readonly scalar: string };

const key = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'id',
    'enabled',
    '',
    '*',
    '$last',
    '#0',
    '+x',
    'a.b',
    'a/b',
    'a"b',
    'a\\b',
    'é',
    'e\u0301',
    '\u0001',
    '[k=v]',
    '01',
    '0',
  ),
  fc.string({ maxLength: 6 }),
);
const scalar = fc.oneof(
  fc.string({ maxLength: 12 }).map((text) => JSON.stringify(text)),
  fc.constantFrom(
    '1',
    '1.10',
    '-0',
    '1e3',
    '12345678901234567890',
    'true',
    'false',
    'null',
    '"\\u0041"',
    '"\\/"',
    '"\\ud83d"',
    '"//no"',
    '"/*no*/"',
  ),
);

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar.map((text) => ({ scalar: text })),
    fc.record({ items: fc.array(tie('tree'), { maxLength: 4 }) }),
    fc.record({ entries: fc.array(fc.tuple(key, tie('tree')), { maxLength: 4 }) }),
  ),
}));

/** Sound JSONC in many styles: indentation, one line, comments, trailing commas, CRLF, byte order mark. */
export const jsoncText = fc
  .record({
    tree,
    indent: fc.constantFrom('', '', '  ', '    ', '\t'),
    gap: fc.constantFrom('', ' '),
    trailing: fc.boolean(),
    comments: fc.array(fc.constantFrom('', '', '', '/* c */', ' // line, "x": {\n', '/* { */ '), {
      minLength: 7,
      maxLength: 7,
    }),
    eol: fc.constantFrom('\n', '\r\n'),
    bom: fc.boolean(),
    end: fc.boolean(),
  })
  .map(({ tree: root, indent, gap, trailing, comments, eol, bom, end }) => {
    let turn = 0;
    const comment = () => comments[turn++ % comments.length]!;
    const write = (node: Tree, lead: string): string => {
      if ('scalar' in node) return node.scalar + comment();
      const inner = lead + indent;
      const parts =
        'items' in node
          ? node.items.map((item) => write(item, inner))
          : node.entries.map(
              ([name, item]) => `${JSON.stringify(name)}${comment()}:${gap}${comment()}${write(item, inner)}`,
            );
      const [open, close] = 'items' in node ? '[]' : '{}';
      if (parts.length === 0) return `${open}${comment()}${close}`;
      const comma = trailing ? ',' : '';
      if (indent === '') return `${open}${comment()}${parts.join(`,${gap}`)}${comma}${close}`;
      return `${open}${comment()}\n${inner}${parts.join(`,${comment()}\n${inner}`)}${comma}${comment()}\n${lead}${close}`;
    };
    const text = `${comment()}${write(root, '')}${end ? '\n' : ''}`;
    return `${bom ? '\uFEFF' : ''}${text.replaceAll('\n', eol)}`;
  });
