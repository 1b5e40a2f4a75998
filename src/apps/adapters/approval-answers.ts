/** Remembers the parameters of approval requests, so that an approval is valid once and for these parameters only. */

/** Older requests are treated like requests of another process. */
const MOST_REMEMBERED = 1_000;

/** Keyed by the id of a request, or of its call. */
export interface ApprovalAnswers {
  /** A request for these parameters starts; an earlier approval with this id becomes invalid. */
  judged(id: string, params: unknown): void;
  /**
   * Uses up the approval with this id; false if it was used before or is for other parameters. Requests of another
   * process are unknown here: for them the SDK must guarantee that the parameters are the same.
   */
  take(id: string, params: unknown): boolean;
}

export function approvalAnswers(): ApprovalAnswers {
  const known = new Map<string, { readonly params: string; readonly isTaken: boolean }>();
  const remember = (id: string, params: string, isTaken: boolean): void => {
    known.delete(id);
    known.set(id, { params, isTaken });
    const [oldest] = known.keys();
    if (known.size > MOST_REMEMBERED && oldest !== undefined) known.delete(oldest);
  };
  return {
    judged: (id, params) => remember(id, serialize(params), false),
    take(id, params) {
      const text = serialize(params);
      const before = known.get(id);
      if (before !== undefined && (before.isTaken || before.params !== text)) return false;
      remember(id, text, true);
      return true;
    },
  };
}

function serialize(params: unknown): string {
  return JSON.stringify(params) ?? '';
}
