import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'audit',
  summary: 'verify that the audit log was not changed',
  title: 'verify that no row of the audit log was changed, added or removed',
  examples: ['audit verify --human'],
  usage: [{ line: 'audit verify', summary: 'read all rows and verify the hash chain' }],
  verbs: [{ name: 'verify', positionals: [] }],
  flags: [...FORM_FLAGS],
  notes: [
    'Each row contains a hash of itself and of the previous row. Rows older than a year, or beyond 64 MiB, are removed from the start; the hash of the last removed row is kept. The chain does not detect a writer who recomputes all later hashes: to detect that, store the hash that verify prints elsewhere and compare.',
    'pincer events --audit prints the rows.',
  ],
  exit: '0 the chain is intact; 1 the chain is broken; 2 invalid arguments; 3 the daemon or the approval store is unavailable',
};
