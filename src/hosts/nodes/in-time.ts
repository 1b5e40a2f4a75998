import type { Link } from '../channel/link.ts';

/** Waits for a node. A node that does not answer in time loses its link, so that the caller sees a broken connection. */
export async function inTime<T>(link: Link, answer: Promise<T>, ms: number): Promise<T> {
  const stop = closeAfter(link, ms);
  try {
    return await answer;
  } finally {
    stop();
  }
}

/** Closes the link of a node that has not answered by then; the function that it returns says that it has. */
export function closeAfter(link: Link, ms: number): () => void {
  const timer = setTimeout(() => link.close(`the node did not answer within ${ms} ms`), ms);
  return () => clearTimeout(timer);
}
