import { describe, expect, it } from 'vitest';
import { agentName, commandLineAuthor, commandLineClient, isOperator } from '../../src/config/agent.ts';

describe('the actor of the command line', () => {
  it.each([
    [{}, 'you', true],
    [{ PINCER_CLIENT: '', PINCER_SESSION: '' }, 'you', true],
    [{ PINCER_SESSION: 'quick-crab' }, 'session', false],
    [{ PINCER_SESSION: 'quick-crab', PINCER_CLIENT: 'claude-code' }, 'claude-code', false],
    [{ PINCER_SESSION: 'quick-crab', PINCER_CLIENT: 'you' }, 'client-you', false],
    [{ PINCER_CLIENT: 'Codex' }, 'codex', false],
  ])('with %j has the client %s', (env, client, operator) => {
    expect([commandLineClient(env), isOperator(env)]).toEqual([client, operator]);
  });

  it('has the agent of PINCER_AGENT, or main', () => {
    expect([agentName({}), agentName({ PINCER_AGENT: 'ada' })]).toEqual(['main', 'ada']);
    expect(commandLineAuthor('bob', {})).toEqual({ agent: 'bob', client: 'you' });
  });
});
