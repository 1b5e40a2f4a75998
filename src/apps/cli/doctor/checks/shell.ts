/** The shell that runs commands, and the `pincer` on PATH. */
import { realpathSync } from 'node:fs';
import { chooseShell } from '../../../../hosts/process/programs/shell.ts';
import { createLookup } from '../../../../hosts/process/programs/which.ts';
import { type Check, fail, ok, warn } from '../check.ts';

export const shell: Check = {
  id: 'shell',
  run({ env, folder }) {
    const lookup = createLookup({ path: env['PATH'] ?? '', cwd: folder });
    const found = chooseShell(env['SHELL'], lookup);
    if (found === undefined) return fail('no shell found to run commands', 'install one: /bin/sh is enough');
    const named = env['SHELL'];
    if (named && found.path !== named)
      return warn(`SHELL is ${named}, but ${found.path} runs commands instead`, 'set SHELL to an existing shell');
    return ok(`${found.path} runs commands`);
  },
};

export const path: Check = {
  id: 'path',
  run({ env, folder, program }) {
    const found = createLookup({ path: env['PATH'] ?? '', cwd: folder }).find('pincer');
    const own = realpathSync(program);
    if (found === undefined)
      return warn('pincer is not on PATH', `link ${own} into a folder on PATH, or npm install --global pincer`);
    if (found.real === own) return ok(`pincer on PATH is this program (${found.path})`);
    return warn(`pincer on PATH is another program: ${found.real}`, `put ${own} before it on PATH, or remove it`);
  },
};
