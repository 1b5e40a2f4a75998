/** The tables of docs/glossary.md, and a search for the words that it rules out. */
import { parseAst } from 'rolldown/parseAst';
import { filesBelow, languageOf, readText, visit } from './sources.ts';

export const GLOSSARY = 'docs/glossary.md';

export interface AvoidedWord {
  readonly word: string;
  /** A name of the code, not a word of English. */
  readonly isName: boolean;
  /** Folders to search (default: all of them). */
  readonly folders: readonly string[];
}

/** The only files with a word to avoid, each with its reason. */
export const ALLOWED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  tighter: {
    'src/hosts/approvals/questions.ts': 'questions that an older version stored have this member',
    'tests/hosts/approvals/store.test.ts': 'it stores such a question',
    'tests/apps/library/create.test.ts': 'it passes the former name of an option',
    'src/config/tighten/tighten.ts': 'it compares settings: one can be tighter than another',
    'src/config/tighten/tighten-sandbox.ts': 'it compares settings: one can be tighter than another',
  },
  node: {
    'src/text/walk/match.ts': 'the interface that Pincer implements fixes the word in the output',
    'src/text/kinds/yaml/read-fully.ts': 'the package `yaml` has a type Node',
    'src/text/kinds/yaml/source-tokens.ts': 'the package `yaml` has a type Node',
    'src/text/encoding/windows-1252.ts': 'it means Node.js',
    'tests/text/kinds/jsonc/hostile.test.ts': 'it compares the output',
    'tests/text/kinds/jsonl/jsonl.test.ts': 'it compares the output',
    'tests/text/kinds/jsonl/differential.test.ts': 'it compares the output',
    'tests/text/path/find.test.ts': 'it compares the output',
  },
};

/** The rows of the table below a heading of the glossary, as cells. */
function rowsBelow(heading: string): string[][] {
  const [, after = ''] = readText(GLOSSARY).split(`\n## ${heading}\n`);
  const [section = ''] = after.split('\n## ');
  return [...section.matchAll(/^\| (.*) \|$/gmu)]
    .slice(1)
    .map(([, row = '']) => row.split(' | ').map((cell) => cell.trim()));
}

export function glossaryWords(): string[] {
  return rowsBelow('Words').flatMap(([words = '']) => words.split(', '));
}

export function avoidedWords(): AvoidedWord[] {
  return rowsBelow('Words to avoid').map(([word = '', , folders = '']) => ({
    word: word.replaceAll('`', ''),
    isName: word.startsWith('`'),
    folders: [...folders.matchAll(/`([^`]+)`/gu)].map(([, folder = '']) => folder),
  }));
}

/** Finds a word also in the plural, with a hyphen, or as camel case. */
export function wordPattern(word: string): RegExp {
  return new RegExp(String.raw`(?<![\w-])${word.replaceAll(' ', '[ -]?')}s?(?![\w-])`, 'iu');
}

/** The files that contain a word, except for names of modules such as `node:fs`. */
export function filesWith({ word, isName, folders }: AvoidedWord): string[] {
  const pattern = isName ? new RegExp(String.raw`\b${word}\b`, 'u') : wordPattern(word);
  const files = (folders.length > 0 ? folders : ['src', 'docs', 'tests']).flatMap(filesBelow);
  return files
    .filter((file) => /\.(?:md|m?tsx?)$/u.test(file) && file !== GLOSSARY && !file.startsWith('tests/house/'))
    .filter((file) => {
      const text = readText(file).replaceAll(/'node:[\w/]+'/gu, '');
      return pattern.test(text) && (!isName || (/\.tsx?$/u.test(file) && hasIdentifier(file, word)));
    });
}

function hasIdentifier(file: string, name: string): boolean {
  let isFound = false;
  visit(parseAst(readText(file), languageOf(file), file), (part) => {
    if (part['type'] === 'Identifier' && part['name'] === name) isFound = true;
  });
  return isFound;
}
