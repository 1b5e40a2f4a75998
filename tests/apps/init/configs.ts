/** Files of configuration as people write them: comments everywhere, any spacing, neighbours, decoys. */
import { fc } from '../../support/property.ts';

type Data = string | number | boolean | null | readonly Data[] | { readonly [name: string]: Data };

const word = fc.constantFrom(
  'theme',
  'model',
  'env',
  'timeout',
  'a b',
  'é',
  'x-y',
  '$schema',
  'pincer2',
  'nested.name',
);
const scalar: fc.Arbitrary<Data> = fc.oneof(
  fc.constantFrom<Data>(
    'dark',
    '// no comment',
    '/* nor this */',
    '[mcp_servers.pincer]',
    "it's",
    'say "hi"',
    '',
    true,
    false,
    null,
  ),
  fc.integer(),
);
const { tree } = fc.letrec<{ tree: Data }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(word, tie('tree'), { maxKeys: 3 }),
  ),
}));

interface Style {
  readonly indent: string;
  readonly gap: string;
  readonly trailing: boolean;
  readonly comments: readonly string[];
  readonly eol: string;
  readonly bom: boolean;
  readonly end: string;
  readonly isJson5: boolean;
}

const style = (isJson5: boolean): fc.Arbitrary<Style> =>
  fc.record({
    indent: fc.constantFrom('', '  ', '    ', '\t'),
    gap: fc.constantFrom('', ' '),
    trailing: fc.boolean(),
    comments: fc.array(fc.constantFrom('', '', '', '/* c */', ' // "mcpServers": {\n', '/* { */ ', '\n\n'), {
      minLength: 7,
      maxLength: 7,
    }),
    eol: fc.constantFrom('\n', '\r\n'),
    bom: fc.boolean(),
    end: fc.constantFrom('', '\n', '\n\n', ' // the end'),
    isJson5: fc.constant(isJson5),
  });

/** A JSON file for a client whose servers stand at `at`; they may be missing, empty or have neighbours. */
export function jsonConfig(at: readonly string[], isJson5: boolean): fc.Arbitrary<string> {
  const servers = fc.oneof(fc.constant({}), fc.dictionary(word, tree, { minKeys: 1, maxKeys: 3 }));
  const inside = at.reduceRight<fc.Arbitrary<Data>>((inner, name) => {
    const others = fc.dictionary(word, tree, { maxKeys: 3 });
    return fc.oneof(
      others,
      fc.tuple(others, inner).map(([own, below]) => ({ ...own, [name]: below })),
      fc.tuple(inner, others).map(([below, own]) => ({ [name]: below, ...own })),
    );
  }, servers);
  return fc.tuple(inside, style(isJson5)).map(([data, how]) => written(data, how));
}

function written(data: Data, { indent, gap, trailing, comments, eol, bom, end, isJson5 }: Style): string {
  let turn = 0;
  const comment = () => comments[turn++ % comments.length]!;
  const scalarText = (value: Data): string => {
    if (typeof value === 'number' && isJson5 && value % 3 === 0)
      return value < 0 ? String(value) : `+0x${value.toString(16)}`;
    if (typeof value !== 'string' || !isJson5 || turn % 2 === 0) return JSON.stringify(value);
    return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  };
  const nameText = (name: string): string => (isJson5 && /^[\p{L}$]\w*$/u.test(name) ? name : scalarText(name));
  const write = (node: Data, lead: string): string => {
    if (typeof node !== 'object' || node === null) return scalarText(node) + comment();
    const inner = lead + indent;
    const isList = Array.isArray(node);
    const parts = isList
      ? node.map((item) => write(item, inner))
      : Object.entries(node).map(
          ([name, item]) => `${nameText(name)}${comment()}:${gap}${comment()}${write(item, inner)}`,
        );
    const [open, close] = isList ? '[]' : '{}';
    if (parts.length === 0) return `${open}${comment()}${close}`;
    const comma = trailing ? ',' : '';
    if (indent === '') return `${open}${comment()}${parts.join(`,${gap}`)}${comma}${close}`;
    return `${open}${comment()}\n${inner}${parts.join(`,${comment()}\n${inner}`)}${comma}${comment()}\n${lead}${close}`;
  };
  return `${bom ? '\uFEFF' : ''}${`${comment()}${write(data, '')}${end}`.replaceAll('\n', eol)}`;
}

const TOML_LINES = [
  'model = "gpt-5"',
  "path = 'C:\\Users\\x'",
  '# [mcp_servers.pincer]',
  '# a comment without an end',
  'notice = """\n[mcp_servers.pincer]\ncommand = "no"\\\n"""',
  "raw = '''\n[mcp_servers.pincer]\n'''",
  'quotes = """two "" and five"""""',
  'list = [ # one\n  "a", "]",\n  { b = 1, c.d = [2] },\n]',
  'when = 1979-05-27 07:32:00Z',
  'big = 1_000',
  'a.b."c d" = true',
  '',
  '  ',
];
const TOML_TABLES = [
  '[mcp_servers.other]',
  '[mcp_servers . "p.incer"]',
  '[mcp_servers.pincer2]',
  "[projects.'/x']",
  '[[skills]]',
  '[mcp_servers]',
];

/** A TOML file for Codex. */
export const tomlConfig: fc.Arbitrary<string> = fc
  .record({
    root: fc.uniqueArray(fc.constantFrom(...TOML_LINES), { maxLength: 4 }),
    tables: fc.uniqueArray(
      fc.tuple(fc.constantFrom(...TOML_TABLES), fc.uniqueArray(fc.constantFrom(...TOML_LINES), { maxLength: 3 })),
      {
        maxLength: 3,
        selector: ([name]) => name,
      },
    ),
    eol: fc.constantFrom('\n', '\r\n'),
    bom: fc.boolean(),
    end: fc.constantFrom('', '\n', '\n\n', '\n# end'),
  })
  .map(({ root, tables, eol, bom, end }) => {
    const lines = [...root, ...tables.flatMap(([name, below]) => [name, ...below])];
    return `${bom ? '\uFEFF' : ''}${`${lines.join('\n')}${end}`.replaceAll('\n', eol)}`;
  });
