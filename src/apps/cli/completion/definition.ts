import type { CommandDefinition } from '../definition.ts';

export const definition: CommandDefinition = {
  name: 'completion',
  summary: 'print shell completions for bash, zsh or fish',
  examples: ['completion bash', 'completion zsh'],
  usage: [
    { line: 'completion bash', summary: 'add to ~/.bashrc: eval "$(pincer completion bash)"' },
    { line: 'completion zsh', summary: 'add to ~/.zshrc, after compinit: eval "$(pincer completion zsh)"' },
    { line: 'completion fish', summary: 'run: pincer completion fish > ~/.config/fish/completions/pincer.fish' },
  ],
  positionals: ['shell', '[kind]'],
  verbs: ['bash', 'zsh', 'fish'].map((name) => ({ name, positionals: [] })),
  flags: [],
  notes: ['The script calls pincer to complete ids of sessions and approvals.'],
  exit: '0 done; 2 invalid arguments',
};
