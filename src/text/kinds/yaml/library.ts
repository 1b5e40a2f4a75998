/**
 * The one door to the `yaml` package. The full reader asks for it only when the scanner could not prove a text; a
 * bundle that must start quickly replaces this module by one that requires the package at that moment.
 */
import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, Parser } from 'yaml';

/** What is used of the package. */
export interface YamlLibrary {
  readonly Lexer: typeof Lexer;
  readonly Parser: typeof Parser;
  readonly Composer: typeof Composer;
  readonly isAlias: typeof isAlias;
  readonly isMap: typeof isMap;
  readonly isScalar: typeof isScalar;
  readonly isSeq: typeof isSeq;
}

/** Gives the package; called at the first text that needs it. */
export type LoadYamlLibrary = () => YamlLibrary;

export const loadYamlLibrary: LoadYamlLibrary = () => ({
  Lexer,
  Parser,
  Composer,
  isAlias,
  isMap,
  isScalar,
  isSeq,
});
