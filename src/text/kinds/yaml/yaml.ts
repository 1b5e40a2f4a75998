import type { Kind } from '../../kind.ts';
import { YamlDocument, type YamlOptions } from './document.ts';
import { readFully } from './read-fully.ts';
import { type LoadYamlLibrary, loadYamlLibrary } from './library.ts';
import { scan } from './scan/scan.ts';
import type { ParsedYaml } from './yaml-source.ts';

export type { YamlPlace } from './place.ts';
export type { YamlOptions };

/** Uses the scanner, and the library if the scanner cannot prove the text. */
function reader(loadLibrary: LoadYamlLibrary): (text: string) => ParsedYaml {
  return (text) => {
    const tree = scan(text);
    return tree === 'unproven' ? readFully(text, loadLibrary()) : { tree, problems: [] };
  };
}

export function parseYaml(
  text: string,
  options: YamlOptions = {},
  load: LoadYamlLibrary = loadYamlLibrary,
): YamlDocument {
  return new YamlDocument(text, reader(load), options);
}

export function yamlKind(loadLibrary: LoadYamlLibrary): Kind {
  return { name: 'yaml', parse: (text) => parseYaml(text, {}, loadLibrary) };
}

export const yaml: Kind = yamlKind(loadYamlLibrary);
