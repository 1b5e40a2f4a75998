// @ts-check
/** The extension's code for addresses, without the editor, so that it can be tested. */
import { parseOcPath } from 'pincer/address';
import { extentOf, findOcPaths, kindOfFile, locateOcPath, parseDocument } from 'pincer/path';

/**
 * @typedef {{ line: number, column: number }} Spot both from 1
 * @typedef {{ start: Spot, end: Spot }} Range
 * @typedef {{ address: string, line: number }} Entry
 */

/** The file of an address, relative to the workspace. @param {string} address */
export function fileOf(address) {
  return parseOcPath(address).file;
}

/**
 * The range of an address in the text; undefined if there is none.
 * @param {string} text @param {string} address @returns {Range | undefined}
 */
export function rangeOf(text, address) {
  const path = parseOcPath(address);
  const document = parseDocument(text, kindOf(path.file));
  const found = locateOcPath(document, path);
  if (found === undefined) return undefined;
  const { start, end } = extentOf(document, found.place);
  return { start, end };
}

/**
 * The sections (or top-level keys) of a text, with their addresses and lines.
 * @param {string} text @param {string} file @returns {Entry[]}
 */
export function sectionsOf(text, file) {
  const pattern = parseOcPath(`oc://${JSON.stringify(file)}/*`);
  return [...findOcPaths(parseDocument(text, kindOf(file)), pattern)].map(({ path, match }) => ({
    address: path,
    line: match.line,
  }));
}

/** @param {string} file */
function kindOf(file) {
  const kind = kindOfFile(file);
  if (kind === undefined) throw new Error(`Unsupported file type: ${file}`);
  return kind === 'none' ? 'md' : kind;
}
