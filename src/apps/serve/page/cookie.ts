import type { Gateway } from '../../../wire/methods.ts';

/** The cookie of a login. A host shares its cookies among all ports, so the name has the port. */
export function pageCookie(port: number): string {
  return `pincer_page_${port}`;
}

/** The paths that a cookie for the socket can have: `/`, `/page`, `/page/`, `/page/socket`. */
const MOST_VALUES = 4;
const LONGEST_VALUE = 200;

/**
 * The values in a `Cookie` header. A page on another port can add one with a longer path, which comes first, so all of them are
 * candidates.
 */
function cookiesIn(header: string | undefined, name: string): readonly string[] {
  const values = (header ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at > 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
  return [...new Set(values)].slice(0, MOST_VALUES).filter((value) => value.length <= LONGEST_VALUE);
}

/** The one of a login that has not ended. */
export async function loginCookie(
  header: string | undefined,
  port: number,
  gateway: () => Promise<Gateway>,
): Promise<string | undefined> {
  const daemon = await gateway();
  for (const cookie of cookiesIn(header, pageCookie(port)))
    if ((await daemon.call('login.check', { cookie })).ok) return cookie;
  return undefined;
}
