/**
 * JavaScript. What runs scripts or packages of the project has the class `project`, and what installs has `network`: it also runs
 * scripts of packages. Not listed: settings that choose a program or a folder (`--script-shell`, `--prefix`, `--userconfig`), and code
 * in arguments (`node -e`, `-p`, `-r`, `--import`, `npx -c`).
 */
import { all, type Family, names, subcommands } from './family.ts';

/**
 * A project's `.npmrc` can name any registry, which npm asks for its own updates, any folder for logs and cache, and any file as
 * further settings, of which npm prints unknown names. Variables override it. There is no cache and no file below a file.
 */
const NPM_QUIET = {
  env: {
    npm_config_update_notifier: 'false',
    npm_config_offline: 'true',
    npm_config_logs_max: '0',
    npm_config_timing: 'false',
    npm_config_cache: '/dev/null/npm',
    npm_config_userconfig: '~/.npmrc',
    npm_config_globalconfig: '/dev/null/npmrc',
  },
};

/** `npm` takes the word after an option that it does not know as its value, so no option is listed as a flag that is not one. */
const NPM_LIST = {
  flags: names('-a -l -p -g --all --json --long --parseable --global --link --package-lock-only --unicode'),
  valued: { ...all('num', '--depth'), ...all('enum dev optional peer', '--omit --include') },
  operands: ['text*'],
};
const INSTALL = names(
  '-D -E -O -P --save-dev --save-exact --save-optional --save-prod --no-save --ignore-scripts --no-audit --no-fund --prefer-offline --frozen-lockfile --silent --force --legacy-peer-deps',
);
const SCRIPT = { class: 'project', flags: names('--silent --if-present'), operands: ['text*'] } as const;
const ADD = { class: 'network', flags: INSTALL, operands: ['text*'] } as const;

/** Tools that load settings and plugins of the project, also for `--version`. */
const TOOLS =
  'tsc eslint prettier vitest jest mocha tsx ts-node vite webpack rollup esbuild next biome oxlint turbo nx playwright';

export const JAVASCRIPT: Family = {
  title: 'JavaScript',
  read: 'node 20 to 24, npm 10, pnpm 9, yarn 1.22 and 4, corepack 0.29',
  programs: {
    npm: {
      grammar: 'getopt',
      class: 'project',
      terminal: 'safe',
      flags: names('-v --version'),
      requires: names('-v --version'),
      classWith: { '-v': 'read', '--version': 'read' },
      forced: NPM_QUIET,
      subcommands: {
        ...subcommands('ls list ll la', { class: 'read', ...NPM_LIST, forced: NPM_QUIET }),
        ...subcommands('root prefix bin', {
          class: 'read',
          flags: names('-g --global'),
          operands: [],
          forced: NPM_QUIET,
        }),
        ...subcommands('explain why', { class: 'read', flags: ['--json'], operands: ['text*'], forced: NPM_QUIET }),
        'pkg get': { class: 'read', operands: ['text*'], forced: NPM_QUIET },
        ...subcommands('view info show v', { class: 'network', flags: ['--json'], operands: ['text*'] }),
        outdated: {
          class: 'network',
          flags: names('-a -l -p -g --all --json --long --parseable --global'),
          operands: ['text*'],
        },
        search: { class: 'network', flags: names('--json --long --parseable'), operands: ['text*'] },
        ping: { class: 'network', operands: [] },
        audit: {
          class: 'network',
          flags: names('--json --production'),
          valued: { '--audit-level': 'enum info low moderate high critical none', '--omit': 'enum dev optional peer' },
          operands: [],
        },
        ...subcommands('run run-script', SCRIPT),
        ...subcommands('test t tst start stop restart', SCRIPT),
        ...subcommands('install i add ci uninstall remove rm update', ADD),
      },
      pass: [
        'npm --version',
        'npm -v',
        'npm ls',
        'npm ls --depth=0 --json',
        'npm root -g',
        'npm explain a',
        'npm pkg get name',
      ],
      ask: [
        'npm',
        'npm test',
        'npm run build',
        'npm install',
        'npm view a',
        'npm ls --prefix=x',
        'npm ls --script-shell=x',
        'npm ls --scr=x',
        'npm pkg set a=b',
        'npm config set a b',
        'npm exec x',
        'npm audit fix',
        'npm --prefix x ls',
      ],
    },
    npx: {
      grammar: 'posix',
      class: 'network',
      flags: names('-y -q --yes --no --no-install --quiet --ignore-existing'),
      classWith: { '--no': 'project', '--no-install': 'project' },
      operands: ['text*'],
      pass: [],
      ask: ['npx tsc', 'npx --no-install tsc', 'npx -c id', 'npx -p x y', 'npx --call=id'],
    },
    // It loads `.pnpmfile.cjs` of the project for each subcommand.
    pnpm: {
      grammar: 'getopt',
      class: 'project',
      flags: names('-v --version -r --recursive'),
      operands: [],
      subcommands: {
        ...subcommands('ls list why', {
          flags: names('--json --long --parseable -r'),
          valued: all('num', '--depth'),
          operands: ['text*'],
        }),
        ...subcommands('run test t start build lint', SCRIPT),
        exec: { operands: ['text*'] },
        ...subcommands('install i add remove update up dlx', ADD),
      },
      pass: [],
      ask: ['pnpm ls', 'pnpm --version', 'pnpm test', 'pnpm install', 'pnpm --dir x test', 'pnpm -C x test'],
    },
    // `yarnPath` and `packageManager` of the project choose the program.
    yarn: {
      grammar: 'getopt',
      class: 'project',
      flags: names('-v --version'),
      operands: [],
      subcommands: {
        ...subcommands('run test start build lint', SCRIPT),
        ...subcommands('list why', { flags: ['--json'], operands: ['text*'] }),
        ...subcommands('install add remove upgrade up dlx', ADD),
      },
      pass: [],
      ask: ['yarn', 'yarn --version', 'yarn test', 'yarn add x', 'yarn --cwd x test'],
    },
    // Without a file it reads code from its input, which is closed.
    node: {
      grammar: 'posix',
      class: 'project',
      flags: names(
        '-v -c --version --check --test --no-warnings --enable-source-maps --experimental-strip-types --trace-warnings --trace-uncaught',
      ),
      classWith: { '-v': 'read', '--version': 'read' },
      operands: ['in', 'text*'],
      pass: ['node --version', 'node -v'],
      ask: [
        'node a.js',
        'node --test',
        'node -e 1',
        'node --eval=1',
        'node -p 1',
        'node -pe 1',
        'node -r ./a.js b.js',
        'node --require ./a.js -v',
        'node --import=./a.mjs b.js',
        'node --loader ./a.mjs b.js',
        'node --env-file=/etc/shadow a.js',
        'node --inspect a.js',
        'node -i',
        'node --run build',
        'node --vers',
      ],
    },
    ...Object.fromEntries(
      names(TOOLS).map((name) => [
        name,
        {
          grammar: 'getopt',
          class: 'project',
          flags: names('-v --version --noEmit --watch=false').filter((flag) => !flag.includes('=')),
          operands: ['text*'],
          pass: [],
          ask: [`${name} --version`, `${name} a.ts`, `${name} --config=x`],
        } as const,
      ]),
    ),
  },
};
