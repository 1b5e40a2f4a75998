/** Which parameters a person was asked about, so that a yes counts for these, and once. */

/** How many are remembered at most; an older one is as good as one of another process. */
const MOST_REMEMBERED = 1_000;

/** By the id of a question, or of the call that it is about. */
export interface Answers {
  /** A question about these parameters begins; answers to an earlier one of this id are void. */
  judged(id: string, params: unknown): void;
  /**
   * Whether a yes may be taken for these parameters; it is taken by that. What another process asked about is not known here:
   * that the parameters are those is then for the SDK to say.
   */
  take(id: string, params: unknown): boolean;
}

/** The answers of one agent. */
export function answersOf(): Answers {
  const known = new Map<string, { readonly params: string; readonly isTaken: boolean }>();
  const remember = (id: string, params: string, isTaken: boolean): void => {
    known.delete(id);
    known.set(id, { params, isTaken });
    const [oldest] = known.keys();
    if (known.size > MOST_REMEMBERED && oldest !== undefined) known.delete(oldest);
  };
  return {
    judged: (id, params) => remember(id, textOf(params), false),
    take(id, params) {
      const text = textOf(params);
      const before = known.get(id);
      if (before !== undefined && (before.isTaken || before.params !== text)) return false;
      remember(id, text, true);
      return true;
    },
  };
}

function textOf(params: unknown): string {
  return JSON.stringify(params) ?? '';
}
