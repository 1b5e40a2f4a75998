/** How much one scan of a workspace may read from untrusted files, and how many paths it may look up. */
import { userSettings, workspaceReader } from './git/git-settings.ts';
import { indexReader } from './git/submodules.ts';

/** For files and settings that may name scripts. */
const MOST_FILES = 4_000;
const MOST_CHARACTERS = 4 * 1024 * 1024;
/** Each word is looked up in several folders. */
const MOST_WORDS = 20_000;

/** One budget for a whole scan, so that many files cannot make it take longer than one large file. */
export class ObeyedBudget {
  readonly settings = workspaceReader();
  readonly indexes = indexReader();
  readonly user = userSettings();
  #files = MOST_FILES;
  #characters = MOST_CHARACTERS;
  #words = MOST_WORDS;

  /** Call it before a text is searched for words; false where the budget is used up. */
  takeText(characters: number): boolean {
    this.#files--;
    this.#characters -= characters;
    return this.#files >= 0 && this.#characters >= 0;
  }

  /** Call it before words are looked up; false where the budget is used up. */
  takeWords(words: number): boolean {
    this.#words -= words;
    return this.#words >= 0;
  }
}
