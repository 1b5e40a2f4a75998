/**
 * The only import of the `yaml` package. The full reader needs it only if the scanner cannot prove a text, so a bundle
 * that must start quickly replaces this module with one that requires the package on first use.
 */
import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, Parser } from 'yaml';

export interface YamlLibrary {
  readonly Lexer: typeof Lexer;
  readonly Parser: typeof Parser;
  readonly Composer: typeof Composer;
  readonly isAlias: typeof isAlias;
  readonly isMap: typeof isMap;
  readonly isScalar: typeof isScalar;
  readonly isSeq: typeof isSeq;
}

/** Called for the first text that needs the package. */
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
