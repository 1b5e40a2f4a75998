/** The text form of an invitation, which an operator copies from the gateway to the node. */
import { randomBytes } from 'node:crypto';
import { Fault } from '../../base/fault.ts';
import { type Invitation, invitation } from '../../wire/node.ts';
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

export function invitationText({ url, gateway, id, secret }: Invitation): string {
  return PREFIX + Buffer.from(JSON.stringify([url, gateway, id, secret])).toString('base64url');
}

export function parseInvitation(text: string): Invitation {
  const trimmed = text.trim();
  try {
    if (!trimmed.startsWith(PREFIX) || trimmed.length > LONGEST) throw new Error('not an invitation');
    const [url, gateway, id, secret] = JSON.parse(
      Buffer.from(trimmed.slice(PREFIX.length), 'base64url').toString('utf8'),
    ) as readonly unknown[];
    return check(invitation, { url, gateway, id, secret }, 'invitation');
  } catch {
    throw new Fault('NODE_INVITATION', 'this is not an invitation of a pincer gateway', {
      hint: `copy the whole line that begins with ${PREFIX}; "pincer nodes invite" on the gateway prints a new one`,
    });
  }
}
