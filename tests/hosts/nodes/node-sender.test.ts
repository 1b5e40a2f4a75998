import { describe, expect, it } from 'vitest';
import { type Joined, joined } from '../../apps/node/joined-machines.ts';
import { pending } from '../../support/gateway.ts';

const ID = 'a'.repeat(32);
const UNLISTED = 'b'.repeat(32);

function say({ host }: Joined, text: string, sender: string, operator?: true) {
  const caller = { agent: 'main', conversation: 'c', ...(operator === undefined ? {} : { operator }) };
  return host.gateway.call('command.say', { text, sender, caller, folder: host.folder });
}

/** The nodes `a…` and `b…` are paired; only the first one is listed. */
function listed(names = ['one', 'two'], more: object = {}): Promise<Joined> {
  const commands = { allowFrom: ['ann', `node:${ID}`], ...more };
  return joined({ config: { tools: { exec: { host: 'node', node: 'one' } }, commands }, names });
}

describe('a message of a node', () => {
  it('may change the conversation where commands.allowFrom names the node', async () => {
    const machines = await listed();
    expect(await say(machines, '/exec security=deny', `node:${ID}`)).toMatchObject({ ok: true });
    expect(await machines.host.exec({ command: 'true' })).toMatchObject({ status: 'denied', reason: 'security=deny' });
  });

  it.each([
    ['an unlisted node', `node:${UNLISTED}`, 'add the sender to commands.allowFrom'],
    ['the name of a node', 'node:one', 'no paired node has this id'],
    ['an unknown id', `node:${'c'.repeat(32)}`, 'no paired node has this id'],
    ['no id', 'node:', 'no paired node has this id'],
    ['an id with a suffix', `node:${ID}\n`, 'no paired node has this id'],
    ['the bare id', ID, 'add the sender to commands.allowFrom'],
  ])('is refused from %s', async (_, sender, why) => {
    const answer = await say(await listed(), '/exec security=full ask=off', sender);
    expect(answer).toEqual({ ok: false, text: `${sender} is not authorised: ${why}${answer.text.split(why)[1]}` });
  });

  it('is refused when the node was removed', async () => {
    const machines = await listed();
    machines.remove();
    expect(await say(machines, '/exec ask=off', `node:${ID}`)).toMatchObject({ ok: false });
  });

  it('never answers an approval request, also not where every sender is authorised or the operator passes it on', async () => {
    for (const more of [{}, { useAccessGroups: false }]) {
      const machines = await listed(['one'], more);
      const { id } = pending(await machines.host.exec({ command: 'touch ran' }));
      for (const sender of [`node:${ID}`, `NODE:${ID}`, 'node:one'])
        for (const operator of [undefined, true] as const)
          expect(await say(machines, `/approve ${id} allow-once`, sender, operator)).toMatchObject({ ok: false });
      expect(await machines.host.gateway.call('approval.show', { id })).toMatchObject({ state: 'pending' });
      expect(await say(machines, `/approve ${id} deny`, 'ann')).toMatchObject({ ok: true });
    }
  });
});
