import type { Link } from '../channel/link.ts';

/** Waits for a node. A node that does not answer in time loses its link, so that the caller sees a broken connection. */
export async function inTime<T>(link: Link, answer: Promise<T>, ms: number): Promise<T> {
  const timer = setTimeout(() => link.close(`it did not answer within ${ms} ms`), ms);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
  }
}
