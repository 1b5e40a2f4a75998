/** The shell that reads commands, and the `pincer` that a shell would start. */
import { realpathSync } from 'node:fs';
import { chooseShell } from '../../../../hosts/process/programs/shell.ts';
import { createLookup } from '../../../../hosts/process/programs/which.ts';
import { type Check, fail, ok, warn } from '../check.ts';

export const shell: Check = {
  id: 'shell',
  run({ env, folder }) {
    const lookup = createLookup({ path: env['PATH'] ?? '', cwd: folder });
    const found = chooseShell(env['SHELL'], lookup);
    if (found === undefined) return fail('no shell is there to read a command', 'install one: /bin/sh is enough');
    const named = env['SHELL'];
    if (named && found.path !== named)
      return warn(`SHELL names ${named}; ${found.path} reads commands instead`, 'set SHELL to a shell that is there');
    return ok(`${found.path} reads commands`);
  },
};

export const path: Check = {
  id: 'path',
  run({ env, folder, program }) {
    const found = createLookup({ path: env['PATH'] ?? '', cwd: folder }).find('pincer');
    const own = realpathSync(program);
    if (found === undefined)
      return warn('no pincer is on PATH', `ln -s ${own} into a folder of PATH, or npm install --global pincer`);
    if (found.real === own) return ok(`pincer on PATH is this program (${found.path})`);
    return warn(`pincer on PATH is another program: ${found.real}`, `put ${own} in front of it, or remove it`);
  },
};
