import { type CommandDefinition, FORM_FLAGS } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'audit',
  summary: 'check that the audit log was not changed',
  title: 'check that no row of the audit log was changed, added or removed',
  examples: ['audit verify --human'],
  usage: [{ line: 'audit verify', summary: 'read all rows and check the chain of hashes' }],
  verbs: [{ name: 'verify', positionals: [] }],
  flags: [...FORM_FLAGS],
  notes: [
    'Each row holds a hash of itself and of the row before it. Rows that are too old (a year) or beyond 64 MiB are removed from the start, and the hash of the last removed one is kept. The chain shows changes by anyone who cannot compute all later hashes again; to detect that too, keep the hash that verify prints somewhere else and compare.',
    'pincer events --audit shows the rows.',
  ],
  exit: 'exit 0 the chain holds, 1 it is broken, 2 wrong arguments, 3 the daemon or the store cannot be used',
};
