/**
 * The one door to the `yaml` package. The full reader asks for it only when the scanner could not prove a text; a
 * bundle that must start quickly replaces this module by one that requires the package at that moment.
 */
import { isAlias, isMap, isScalar, isSeq, parseAllDocuments } from 'yaml';

/** What is used of the package. */
export interface YamlLibrary {
  readonly parseAllDocuments: typeof parseAllDocuments;
  readonly isAlias: typeof isAlias;
  readonly isMap: typeof isMap;
  readonly isScalar: typeof isScalar;
  readonly isSeq: typeof isSeq;
}

/** Gives the package; called at the first text that needs it. */
export type LoadYamlLibrary = () => YamlLibrary;

export const loadYamlLibrary: LoadYamlLibrary = () => ({ parseAllDocuments, isAlias, isMap, isScalar, isSeq });
