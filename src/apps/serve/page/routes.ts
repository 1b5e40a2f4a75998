/** The HTTP routes of the control page: its files, and the exchange of a login link. */
import type { Context, Hono } from 'hono';
import type { Gateway } from '../../../wire/methods.ts';
import { type Env, refuseOtherMethods } from '../answer.ts';
import { type BuiltFile, type BuiltPage, CODINGS } from './built-files.ts';
import { loginCookie, pageCookie } from './cookie.ts';
import { FOREVER, NEVER, PAGE_HEADERS } from './headers.ts';
import { isScreen, isTopFile, LOGIN_PATH, TOP_FILES } from './paths.ts';
import { LINK_NOT_OPENED, LINK_REFUSED, NOT_BUILT } from './plain-pages.ts';

export interface PageRoutesOptions {
  readonly built: () => BuiltPage | undefined;
  readonly gateway: () => Promise<Gateway>;
  /** Of this server. */
  readonly port: number;
}

type C = Context<Env>;

export function pageRoutes(app: Hono<Env>, options: PageRoutesOptions): void {
  const { built } = options;
  app.get(LOGIN_PATH, (c) => login(c, options));
  refuseOtherMethods(app, LOGIN_PATH, 'GET, HEAD');

  const file = (c: C, next: () => Promise<void>): Response | Promise<void> => {
    const found = built()?.files.get(c.req.path);
    return found === undefined ? next() : fileResponse(c, found);
  };
  app.get('/assets/:file', file);
  for (const path of TOP_FILES) app.get(path, file);

  app.get('*', (c, next) => {
    if (!isScreen(c.req.path)) return next();
    const page = built();
    return page === undefined ? html(c, 503, NOT_BUILT()) : html(c, 200, page.index);
  });
}

/** A browser uses the link only by the navigation of a tab: a prefetch, or a frame or an image of another page, must not. */
async function login(c: C, { built, gateway, port }: PageRoutesOptions): Promise<Response> {
  const page = built();
  if (page === undefined) return html(c, 503, NOT_BUILT());
  if (c.req.raw.method !== 'GET' || !isNavigation(c)) return html(c, 200, LINK_NOT_OPENED(page.styles));
  const code = c.req.query('code') ?? '';
  const browser = c.req.header('user-agent');
  const used =
    code.length > LONGEST_CODE
      ? ({ ok: false } as const)
      : await (await gateway()).call('login.use', { code, ...(browser === undefined ? {} : { browser }) });
  if (!used.ok) return (await isLoggedIn(c, gateway, port)) ? toHome(c) : html(c, 403, LINK_REFUSED(page.styles));
  c.header(
    'Set-Cookie',
    `${pageCookie(port)}=${used.cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${COOKIE_SECONDS}`,
  );
  return html(c, 200, withLogin(page.index, used.key, port));
}

const LONGEST_CODE = 200;
/** As long as browsers keep one; the daemon decides when a login ends. */
const COOKIE_SECONDS = 400 * 24 * 3600;

/** Every browser says where a request comes from and what it is for. A program does not, and may use the link: it has the code. */
function isNavigation(c: C): boolean {
  const [site, mode, dest] = ['site', 'mode', 'dest'].map((name) => c.req.header(`sec-fetch-${name}`));
  const purpose = c.req.header('sec-purpose') ?? c.req.header('purpose') ?? '';
  return (site === undefined || (mode === 'navigate' && dest === 'document')) && !purpose.includes('prefetch');
}

/** A person who opens a used link again. A page of another site learns nothing: its requests are not looked at. */
async function isLoggedIn(c: C, gateway: () => Promise<Gateway>, port: number): Promise<boolean> {
  const site = c.req.header('sec-fetch-site');
  if (site !== 'none' && site !== 'same-origin') return false;
  return (await loginCookie(c.req.header('cookie'), port, gateway)) !== undefined;
}

function toHome(c: C): Response {
  setHeaders(c, 'text/html; charset=utf-8', NEVER);
  return c.redirect('/', 303);
}

/** The key is base64url, so it needs no escape. The address of the page may have another port, of a proxy or a tunnel. */
function withLogin(index: string, key: string, port: number): string {
  const elements = `<meta name="pincer-key" content="${key}"><meta name="pincer-port" content="${port}">`;
  return index.replace('</head>', () => `${elements}</head>`);
}

function html(c: C, status: 200 | 403 | 503, text: string): Response {
  setHeaders(c, 'text/html; charset=utf-8', NEVER);
  return c.body(text, status);
}

function fileResponse(c: C, { type, bytes, compressed }: BuiltFile): Response {
  setHeaders(c, type, isTopFile(c.req.path) ? NEVER : FOREVER);
  c.header('Vary', 'Accept-Encoding');
  const accepted = acceptedCodings(c.req.header('accept-encoding') ?? '');
  const best = CODINGS.find(({ coding }) => accepted.has(coding) && compressed[coding] !== undefined);
  if (best === undefined) return c.body(bytes, 200);
  c.header('Content-Encoding', best.coding);
  return c.body(compressed[best.coding]!, 200);
}

/** Those with a weight above 0. */
function acceptedCodings(header: string): ReadonlySet<string> {
  const entries = header.split(',').map((entry) =>
    entry
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/u),
  );
  return new Set(entries.flatMap(([coding = '', weight]) => (/^q=0(?:\.0*)?$/u.test(weight ?? '') ? [] : [coding])));
}

function setHeaders(c: C, type: string, caching: string): void {
  for (const [name, value] of Object.entries(PAGE_HEADERS)) c.header(name, value);
  c.header('Content-Type', type);
  c.header('Cache-Control', caching);
}
