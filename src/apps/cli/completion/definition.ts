import type { CommandDefinition } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'completion',
  summary: 'completions for bash, zsh and fish',
  title: 'what a shell completes after pincer',
  examples: ['completion bash', 'completion zsh'],
  usage: [
    { line: 'completion bash', summary: 'eval "$(pincer completion bash)" in ~/.bashrc' },
    { line: 'completion zsh', summary: 'eval "$(pincer completion zsh)" in ~/.zshrc, behind compinit' },
    { line: 'completion fish', summary: 'pincer completion fish > ~/.config/fish/completions/pincer.fish' },
  ],
  positionals: ['shell', '[kind]'],
  verbs: ['bash', 'zsh', 'fish'].map((name) => ({ name, words: [] })),
  flags: [],
  notes: [
    'The script is small: it asks the program itself for commands, flags, values, and for the ids of sessions and approvals when one is to be completed.',
  ],
  exit: 'exit 0 done, 2 wrong arguments',
};
