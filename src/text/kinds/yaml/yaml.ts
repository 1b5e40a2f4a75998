/** The YAML kind: `.yaml`, `.yml`, `.lobster`. */
import type { Kind } from '../../kind.ts';
import { YamlDocument, type YamlOptions } from './document.ts';
import { readFully } from './full.ts';
import { type LoadYamlLibrary, loadYamlLibrary } from './library.ts';
import { scan } from './scan/scan.ts';
import type { Reading } from './source.ts';

export type { YamlPlace } from './place.ts';
export type { YamlOptions };

/** Reads with the scanner, and with the library where that proves nothing. */
function reader(loadLibrary: LoadYamlLibrary): (text: string) => Reading {
  return (text) => {
    const tree = scan(text);
    return tree === 'unproven' ? readFully(text, loadLibrary()) : { tree, problems: [] };
  };
}

/** A YAML document; with `scalarsAreStrings` as Markdown's frontmatter has it. */
export function parseYaml(
  text: string,
  options: YamlOptions = {},
  load: LoadYamlLibrary = loadYamlLibrary,
): YamlDocument {
  return new YamlDocument(text, reader(load), options);
}

/** The YAML kind over a given way to load the `yaml` package. */
export function yamlKind(loadLibrary: LoadYamlLibrary): Kind {
  return { name: 'yaml', parse: (text) => parseYaml(text, {}, loadLibrary) };
}

export const yaml: Kind = yamlKind(loadYamlLibrary);
