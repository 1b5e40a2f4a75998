/**
 * Reads what the operator said: the system's file, the user's, and the project's, which is the nearest `pincer.jsonc` upward
 * from the working folder. A file that cannot be read or does not fit is a fault: it never means "as if it were not there".
 */
import { readFileSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import { mergeFiles } from './merge.ts';
import { type ConfigSource, configPlaces } from './places.ts';
import { type ConfigFile, configFile } from './schema.ts';
import { tightenedOnly } from './tighten.ts';

export interface LoadedConfig {
  readonly config: ConfigFile;
  /** In the order in which they were laid over each other. */
  readonly sources: readonly ConfigSource[];
  /** Members that nobody knows, and what a project's file may not say; nothing of it has effect. */
  readonly warnings: readonly string[];
}

export interface LoadOptions {
  /** The working folder that the project's file is looked for from. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The configuration that holds in a folder. */
export async function loadConfig({ folder, env = process.env }: LoadOptions): Promise<LoadedConfig> {
  const warnings: string[] = [];
  const sources: ConfigSource[] = [];
  let config: ConfigFile = {};
  for (const { layer, path } of configPlaces(folder, env)) {
    const said = await readFile(path, warnings);
    if (said === undefined) continue;
    sources.push({ layer, path });
    config = mergeFiles(config, layer === 'project' ? tightenedOnly(config, said, path, warnings) : said);
  }
  return { config, sources, warnings };
}

async function readFile(path: string, warnings: string[]): Promise<ConfigFile | undefined> {
  const content = readText(path);
  if (content === undefined) return undefined;
  const wrongs: string[] = [];
  const checked = configFile(await parse(content, path), '', {
    wrong: (_, message) => wrongs.push(message),
    unknown: (at, known) => warnings.push(`${path} says ${at}, which nobody knows; there are ${known.join(', ')}`),
  });
  if (wrongs.length > 0 || checked === undefined)
    throw new Fault('CONFIG_INVALID', `${path}: ${wrongs.join('; ') || 'it holds no object'}`, {
      hint: 'mend the file; until then no command is judged by a guess',
      details: { path, problems: wrongs },
    });
  return checked;
}

async function parse(content: string, path: string): Promise<unknown> {
  const { parse: parseJson5 } = (await import('json5')).default;
  try {
    return parseJson5(content.replace(/^\uFEFF/u, ''));
  } catch (error) {
    const { lineNumber, columnNumber, message } = error as {
      lineNumber?: number;
      columnNumber?: number;
      message: string;
    };
    const place = lineNumber === undefined ? '' : `:${lineNumber}:${columnNumber}`;
    throw new Fault('CONFIG_SYNTAX', `${path}${place} is no JSON with comments: ${message.replace(/^JSON5: /u, '')}`, {
      hint: 'mend the file; until then no command is judged by a guess',
      details: { path, line: lineNumber, column: columnNumber },
      cause: error,
    });
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw new Fault('CONFIG_UNREADABLE', `${path} cannot be read (${code})`, {
      hint: 'make it readable for this user, or remove it',
      details: { path },
      cause: error,
    });
  }
}
