/** What one look at a workspace may read of files that others wrote, and look up of what they name. */
import { userSettings, workspaceReader } from './git/git-settings.ts';
import { indexReader } from './git/nested.ts';

/** Of the files and settings that may name scripts. */
const MOST_FILES = 4_000;
const MOST_CHARACTERS = 4 * 1024 * 1024;
/** Each word is looked up at several places. */
const MOST_WORDS = 20_000;

/** One budget for a whole look: a workspace with many such files cannot make it take longer than one large file does. */
export class ObeyedBudget {
  readonly settings = workspaceReader();
  readonly indexes = indexReader();
  readonly user = userSettings();
  #files = MOST_FILES;
  #characters = MOST_CHARACTERS;
  #words = MOST_WORDS;

  /** Takes a text that is about to be searched for words, or says that there is too little left. */
  takeText(characters: number): boolean {
    this.#files--;
    this.#characters -= characters;
    return this.#files >= 0 && this.#characters >= 0;
  }

  /** Takes words that are about to be looked up, or says that there are too few left. */
  takeWords(words: number): boolean {
    this.#words -= words;
    return this.#words >= 0;
  }
}
