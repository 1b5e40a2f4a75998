/** Values of settings, as a person edits them in a field. */
import { replaceHidden } from '../../base/hidden-characters.ts';

/** As JSON, with hidden characters as escapes: a field would show them as they are, so that a text can look reversed. */
export function jsonText(value: unknown): string {
  return replaceHidden(JSON.stringify(value), (hidden) =>
    Array.from({ length: hidden.length }, (_, i) => escapeOf(hidden.charCodeAt(i))).join(''),
  );
}

function escapeOf(unit: number): string {
  return String.raw`\u${unit.toString(16).padStart(4, '0')}`;
}

/** A word that is not JSON is a string, as on the command line. */
export function valueIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text.trim();
  }
}
