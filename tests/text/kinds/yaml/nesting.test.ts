import { describe, expect, it } from 'vitest';
import { loadYamlLibrary, type YamlLibrary } from '../../../../src/text/kinds/yaml/library.ts';
import { parseYaml } from '../../../../src/text/kinds/yaml/yaml.ts';

/** The package, with a count of the lexemes read. */
function counting(): { readonly library: YamlLibrary; count: number } {
  const library = loadYamlLibrary();
  const counted = {
    count: 0,
    library: {
      ...library,
      Lexer: class extends library.Lexer {
        override *lex(source: string, incomplete?: boolean): Generator<string, void> {
          for (const lexeme of super.lex(source, incomplete)) {
            counted.count++;
            yield lexeme;
          }
        }
      },
    },
  };
  return counted;
}

const DEEP = 100_000;

describe('nesting that is too deep', () => {
  it.each([
    ['brackets', `x: &a ${'['.repeat(DEEP)}`, 262],
    ['braces', `x: &a ${'{a: '.repeat(DEEP)}`, 1030],
    ['brackets and braces', `x: &a ${'[{a: '.repeat(DEEP)}`, 646],
    ['dashes in a row', `- !t 1\n- ${'- '.repeat(DEEP)}`, 519],
  ])('F3: is refused at the first excess level, without reading the rest: %s', (_, text, offset) => {
    const counted = counting();
    const { problems } = parseYaml(text, {}, () => counted.library);
    const message = 'more than 256 levels, aliases followed';
    expect(problems).toEqual([{ code: 'OC_YAML_PARSE_FAILED', offset, message }]);
    expect(counted.count).toBeLessThan(3000);
  });

  it.each([
    ['a quoted text', `x: &a "${'['.repeat(DEEP)}"\n`],
    ['a plain text', `x: &a b${'['.repeat(DEEP)}\n`],
    ['a block of text', `x: &a |\n  ${'- '.repeat(DEEP)}\n`],
    ['a comment', `x: &a 1 # ${'{['.repeat(DEEP)}\n`],
    ['one after the other', `x: &a [${'[],'.repeat(1000)}]\n`],
    ['one below the other', `x: &a 1\ny:\n${'- - 1\n'.repeat(1000)}`],
  ])('is not reported for %s', (_, text) => {
    expect(parseYaml(text).problems).toEqual([]);
  });
});
