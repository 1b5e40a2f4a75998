/** All commands in the order of the help. `runners.ts` has the functions that run them. */
import type { CommandDefinition } from './definition.ts';

export interface Command {
  readonly name: string;
  readonly load: () => Promise<CommandDefinition>;
}

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
}

type Loaded = { readonly definition: CommandDefinition };

function command(name: string, load: () => Promise<Loaded>): Command {
  return { name, load: async () => (await load()).definition };
}

/** Commands whose definitions are in one file, exported under their names. */
function commandsIn<K extends string>(
  names: readonly K[],
  load: () => Promise<Readonly<Record<K, CommandDefinition>>>,
): readonly Command[] {
  return names.map((name) => ({ name, load: async () => (await load())[name] }));
}

export const COMMAND_GROUPS: readonly CommandGroup[] = [
  {
    title: 'files',
    commands: [
      command('path', () => import('./path/definition.ts')),
      ...commandsIn(['read', 'write', 'edit', 'patch'], () => import('./files/definition.ts')),
      ...commandsIn(['changes', 'undo', 'redo'], () => import('./changes/definition.ts')),
    ],
  },
  {
    title: 'commands and sessions',
    commands: [
      command('exec', () => import('./exec/definition.ts')),
      command('ps', () => import('./ps/definition.ts')),
      command('logs', () => import('./logs/definition.ts')),
      command('attach', () => import('./attach/definition.ts')),
      command('kill', () => import('./kill/definition.ts')),
    ],
  },
  {
    title: 'policy and approvals',
    commands: [
      command('allow', () => import('./allow/definition.ts')),
      command('approvals', () => import('./approvals/definition.ts')),
      command('sandbox', () => import('./sandbox/definition.ts')),
      command('policy', () => import('./policy/definition.ts')),
      command('say', () => import('./say/definition.ts')),
      command('events', () => import('./events/definition.ts')),
      command('audit', () => import('./audit/definition.ts')),
    ],
  },
  {
    title: 'for agents',
    commands: [
      command('mcp', () => import('./mcp/definition.ts')),
      ...commandsIn(['serve', 'gateway'], () => import('./serve/definition.ts')),
      command('page', () => import('./page/definition.ts')),
      command('init', () => import('./init/definition.ts')),
      command('hook', () => import('./hook/definition.ts')),
      ...commandsIn(['tools', 'call'], () => import('./call/definition.ts')),
    ],
  },
  {
    title: 'other machines',
    commands: [command('nodes', () => import('./nodes/definition.ts'))],
  },
  {
    title: 'this machine',
    commands: [
      command('status', () => import('./status/definition.ts')),
      command('doctor', () => import('./doctor/definition.ts')),
      command('config', () => import('./config/definition.ts')),
      command('plugins', () => import('./plugins/definition.ts')),
      command('daemon', () => import('./daemon/definition.ts')),
      command('node', () => import('./node/definition.ts')),
      command('completion', () => import('./completion/definition.ts')),
    ],
  },
];

export const COMMANDS: readonly Command[] = COMMAND_GROUPS.flatMap(({ commands }) => commands);

export async function definitionOf(name: string): Promise<CommandDefinition | undefined> {
  return COMMANDS.find((one) => one.name === name)?.load();
}
