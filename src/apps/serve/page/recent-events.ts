/** The newest events of a stream in memory. */

/** One event as it is sent. */
export interface FeedMessage {
  readonly seq: number;
  readonly text: string;
}

export const MOST_RECENT = 200;
const MOST_RECENT_CHARS = 1 << 20;

export interface Recent {
  readonly messages: FeedMessage[];
  chars: number;
  /** The number of the last event that was read. */
  last: number;
}

export function emptyRecent(last: number): Recent {
  return { messages: [], chars: 0, last };
}

export function forget(recent: Recent, last: number): void {
  recent.messages.length = 0;
  recent.chars = 0;
  recent.last = last;
}

export function keep(recent: Recent, message: FeedMessage): void {
  recent.messages.push(message);
  recent.chars += message.text.length;
  while (recent.messages.length > MOST_RECENT || (recent.chars > MOST_RECENT_CHARS && recent.messages.length > 1))
    recent.chars -= recent.messages.shift()!.text.length;
}
