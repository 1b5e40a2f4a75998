/** The text form of an invitation, which an operator copies from the gateway to the node. */
import { randomBytes } from 'node:crypto';
import { Fault } from '../../base/fault.ts';
import { type Invitation, invitation } from '../../wire/nodes/handshake.ts';
import { check } from '../../wire/schema.ts';

const PREFIX = 'pincer-invite-';
const LONGEST = 4096;

/** `secret` is shown once; the gateway keeps it until the invitation expires. */
export function newInvitation(url: string, gateway: string): Invitation {
  return {
    url,
    gateway,
    id: randomBytes(9).toString('base64url'),
    secret: randomBytes(32).toString('base64url'),
  };
}

/** The fifth part is the token for NATS, or this word. A release that does not know it refuses the invitation. */
const PROXY = 'proxy';

export function invitationText({ url, gateway, id, secret, token, proxy }: Invitation): string {
  const parts = [url, gateway, id, secret, ...(proxy === true ? [PROXY] : token === undefined ? [] : [token])];
  return PREFIX + Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Whether it has servers of NATS, and not the address of a gateway. */
export function isNatsUrl(url: string): boolean {
  return /^(?:nats|tls):/u.test(url);
}

/** Whether the machine that gets the invitation accepts its address. */
export function isInvitationUrl(url: string): boolean {
  try {
    check(invitation.required.url, url, 'url');
    return true;
  } catch {
    return false;
  }
}

export function parseInvitation(text: string): Invitation {
  const trimmed = text.trim();
  try {
    if (!trimmed.startsWith(PREFIX) || trimmed.length > LONGEST) throw new Error('not an invitation');
    const [url, gateway, id, secret, how] = JSON.parse(
      Buffer.from(trimmed.slice(PREFIX.length), 'base64url').toString('utf8'),
    ) as readonly unknown[];
    const way = how === PROXY ? { proxy: true } : how === undefined ? {} : { token: how };
    const parsed = check(invitation, { url, gateway, id, secret, ...way }, 'invitation');
    if (parsed.proxy === true && !parsed.url.startsWith('wss:')) throw new Error('a proxy without TLS');
    return parsed;
  } catch {
    throw new Fault('NODE_INVITATION', 'this is not an invitation of a pincer gateway', {
      hint: `copy the whole line that begins with ${PREFIX}; "pincer nodes invite" on the gateway prints a new one`,
    });
  }
}
