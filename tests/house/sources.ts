import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export interface Import {
  /** A path below `src/` for a file of ours, else the module's name as written. */
  readonly target: string;
  readonly ours: boolean;
  /** Loaded by `import()` at the moment of need. */
  readonly lazy: boolean;
  /** Erased before the program runs. */
  readonly typeOnly: boolean;
}

export interface Source {
  /** Path below `src/`, with `/`. */
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  /** Every string that stands in the code (types included), without comments. */
  readonly strings: readonly string[];
}

/** Every file below a folder of the repository, as paths from the root with `/`. */
export function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** What is written by hand in `src/`: not the AssemblyScript (another language), not what a build made. */
export function readSources(): Source[] {
  return filesBelow('src')
    .filter((file) => /\.tsx?$/u.test(file) && !/^src\/text\/scan\/(assembly|generated)\//u.test(file))
    .map((file) => readSource(file.slice('src/'.length), readText(file)));
}

export function readSource(path: string, text: string): Source {
  const imports: Import[] = [];
  const strings: string[] = [];
  visit(parseAst(text, languageOf(path), path), (node) => {
    if (node['type'] === 'Literal' && typeof node['value'] === 'string') strings.push(node['value']);
    const module = moduleOf(node);
    if (module === undefined) return;
    const ours = module.startsWith('.');
    imports.push({
      target: ours ? posix.join(posix.dirname(path), module) : module,
      ours,
      lazy: node['type'] === 'ImportExpression',
      typeOnly: node['importKind'] === 'type' || node['exportKind'] === 'type',
    });
  });
  return { path, lines: text.split('\n').length - 1, imports, strings };
}

/** For the parser: a `<` begins an element in `.tsx` only. */
export function languageOf(path: string): { readonly lang: 'ts' | 'tsx' } {
  return { lang: path.endsWith('.tsx') ? 'tsx' : 'ts' };
}

export type Node = Record<string, unknown>;

function moduleOf(node: Node): string | undefined {
  const { type, source } = node;
  if (type !== 'ImportExpression' && type !== 'ImportDeclaration' && !String(type).startsWith('Export'))
    return undefined;
  return isNode(source) && typeof source['value'] === 'string' ? source['value'] : undefined;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

export function visit(value: unknown, see: (node: Node) => void): void {
  if (!isNode(value)) return;
  if (typeof value['type'] === 'string') see(value);
  for (const part of Object.values(value)) visit(part, see);
}
