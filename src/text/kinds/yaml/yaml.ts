/** The YAML kind: `.yaml`, `.yml`, `.lobster`. */
import type { Kind } from '../kind.ts';
import { type Reading, YamlDocument, type YamlOptions } from './document.ts';
import { readFully } from './full.ts';
import { type LoadYamlLibrary, loadYamlLibrary } from './library.ts';
import { scan } from './scan.ts';

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
  // A place never meets a document of another kind: the walk hands back what `children` and `child` gave it.
  return { name: 'yaml', parse: (text) => parseYaml(text, {}, loadLibrary) as unknown as ReturnType<Kind['parse']> };
}

export const yaml: Kind = yamlKind(loadYamlLibrary);
