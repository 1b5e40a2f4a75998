import { expect } from 'vitest';
import type { Change, Insertion, NewStep, NewValue } from '../../../../src/text/kind.ts';
import { parseYaml, type YamlOptions, type YamlPlace } from '../../../../src/text/kinds/yaml/yaml.ts';
import { applySplices } from '../../../../src/text/lines/splice.ts';

export type Yaml = ReturnType<typeof parseYaml>;

/** The place at a path of names; the first may be `[doc]`. */
export function at(document: Yaml, ...path: string[]): YamlPlace {
  let place: YamlPlace = document.root;
  for (const name of path) {
    const next = document.child(place, 'item', name, false);
    expect(next, `${name} of ${path.join('/')}`).toBeDefined();
    place = next!;
  }
  return place;
}

/** The text after a change, or the reason for which it was refused. */
export function result(text: string, change: Change): string {
  return change.ok ? applySplices(text, change.splices) : `refused: ${change.reason}`;
}

export function set(
  text: string,
  path: readonly string[],
  value: string | NewValue,
  options: YamlOptions = {},
): string {
  const document = parseYaml(text, options);
  return result(text, document.write(at(document, ...path), typeof value === 'string' ? { text: value } : value));
}

export function insert(
  text: string,
  path: readonly string[],
  where: string | number | undefined,
  value: string | NewValue,
  rest: readonly string[] = [],
  options: YamlOptions = {},
): string {
  const document = parseYaml(text, options);
  const insertion: Insertion =
    where === undefined
      ? { at: 'end' }
      : typeof where === 'string'
        ? { at: 'key', key: where }
        : { at: 'index', index: where };
  const steps: NewStep[] = rest.map((name) => ({ slot: 'field', name }));
  const given = typeof value === 'string' ? { text: value } : value;
  return result(text, document.insert(at(document, ...path), 'item', insertion, steps, given));
}

export function remove(text: string, path: readonly string[], options: YamlOptions = {}): string {
  const document = parseYaml(text, options);
  return result(text, document.remove(at(document, ...path)));
}
