import type { HookClient } from './client.ts';

/** The clients with a hook, by the name that records and `pincer hook` use. */
export const HOOK_CLIENTS: Readonly<Record<string, () => Promise<HookClient>>> = {
  'claude-code': async () => (await import('./clients/claude-code.ts')).claudeCode,
  codex: async () => (await import('./clients/codex.ts')).codex,
  gemini: async () => (await import('./clients/gemini.ts')).gemini,
};
