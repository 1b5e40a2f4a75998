import { describe, expect, it } from 'vitest';
import { actorOf, actorText, isOfClient } from '../../src/wire/actor.ts';
import { requestedClient, clientName } from '../../src/wire/client-name.ts';
import { anyCharacter, fc } from '../support/property.ts';

describe('the name of a client', () => {
  it.each([
    ['claude-code', 'claude-code'],
    ['Visual Studio Code', 'visual-studio-code'],
    ['@scope/tool.js_2', '@scope/tool.js_2'],
    ['codex-mcp-client', 'codex'],
    ['gemini-cli-mcp-client', 'gemini'],
    ['gemini-cli-mcp-client-pincer', 'gemini'],
    ['  --flag  ', 'flag'],
    [`${'a'.repeat(63)}-b`, 'a'.repeat(63)],
    ['a\u001b[2J\nb', 'a-2j-b'],
    ['', 'mcp'],
    [undefined, 'mcp'],
    ['\u0423\u043e\u0438', 'mcp'],
    ['***', 'mcp'],
    // Nobody becomes the operator, an unknown client or Pincer by saying so.
    ['you', 'client-you'],
    ['YOU', 'client-you'],
    [' you!\n', 'client-you'],
    ['you\u200b', 'client-you'],
    ['unknown', 'client-unknown'],
    ['Pincer', 'client-pincer'],
  ])('%j is recorded as %s', (said, name) => {
    expect(clientName(said, 'mcp')).toBe(name);
  });

  it('is short, never reserved, and stable', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (said) => {
        const name = clientName(said, 'mcp');
        expect(name).toMatch(/^[a-z0-9@][a-z0-9._@/-]*$/u);
        expect(name.length).toBeLessThanOrEqual('client-unknown'.length + 64);
        expect(['you', 'unknown', 'pincer']).not.toContain(name);
        expect(clientName(name, 'mcp')).toBe(name);
        expect(requestedClient(name)).toBe(name);
      }),
    );
  });

  it('may be requested in any spelling, also a reserved name', () => {
    const asked = ['You', 'unknown', 'Claude Code', 'codex-mcp-client', '', '***'].map(requestedClient);
    expect(asked).toEqual(['you', 'unknown', 'claude-code', 'codex', undefined, undefined]);
  });
});

describe('an actor', () => {
  it('is shown as the client, with the agent where it is not the default', () => {
    expect(actorText({ agent: 'main', client: 'you' })).toBe('you');
    expect(actorText({ agent: 'ada', client: 'codex' })).toBe('codex (ada)');
    expect(actorText({ agent: 'main' })).toBe('unknown');
  });

  it('is unknown, and never the operator, in a record without a client', () => {
    expect([isOfClient({}, 'unknown'), isOfClient({}, 'you'), isOfClient({ client: 'you' }, 'you')]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('has no other members', () => {
    const session = { id: 's', agent: 'main', client: 'codex', conversation: 'c' };
    expect([actorOf(session), actorOf({ agent: 'a' })]).toEqual([
      { agent: 'main', client: 'codex', conversation: 'c' },
      { agent: 'a' },
    ]);
  });
});
