/** Programs that run code from a project's files, or manage packages and containers: only commands that read are harmless. */
import { type Finding, projectCode } from './finding.ts';

/**
 * For each program the arguments that run nothing of a project, however hostile its files are. Programs without any load
 * settings, plug-ins or another copy of themselves from the project first: `yarnPath`, `.pnpmfile.cjs`, `addopts -p`.
 */
const READ_ONLY: Readonly<Record<string, string>> = {
  npm: '--version -v version ls list ll root prefix bin explain',
  npx: '--version -v',
  pnpm: '',
  yarn: '',
  corepack: '--version',
  bun: '--version -v --revision',
  bunx: '--version',
  deno: '--version -V info doc types',
  pip: '--version -V list show freeze check',
  pipx: '--version list',
  pipenv: '--version',
  poetry: '',
  uv: '--version -V',
  uvx: '--version',
  tox: '',
  nox: '',
  pytest: '',
  'py.test': '',
  invoke: '',
  fab: '',
  hatch: '',
  pdm: '',
  rye: '',
  cargo: '--version -V version --list locate-project',
  rustup: '--version -V',
  rustc: '--version -V',
  go: 'help',
  make: '--version -v --help',
  gmake: '--version -v',
  bmake: '-v',
  ninja: '--version',
  cmake: '--version --help',
  ctest: '--version',
  meson: '--version',
  scons: '--version',
  bazel: '',
  buck: '--version',
  just: '--version',
  task: '--version',
  mage: '-version',
  rake: '',
  mvn: '',
  mvndebug: '',
  gradle: '',
  gradlew: '',
  ant: '-version',
  sbt: '',
  lein: '',
  mix: '',
  rebar3: '',
  stack: '--version',
  cabal: '--version',
  dub: '--version',
  zig: 'version env',
  bundle: '',
  gem: '--version list environment',
  bundler: '',
  mypy: '',
  pylint: '',
  pyright: '',
  rpmbuild: '--version',
  composer: '',
  cpan: '-v',
  luarocks: '',
  opam: '--version list',
  conan: '--version',
  grunt: '',
  gulp: '',
  webpack: '',
  vite: '',
  jest: '',
  vitest: '',
  mocha: '',
  eslint: '',
  tsc: '--version -v',
  prettier: '--version',
  turbo: '',
  nx: '',
  lerna: '',
  docker: '--version -v version info ps images logs inspect top port stats history diff events search',
  podman: '--version -v version info ps images logs inspect top port stats history diff events search',
  nerdctl: '--version version ps images',
  'docker-compose': '--version version',
  buildah: '--version',
  skopeo: '--version',
  kubectl: 'version get describe logs api-resources api-versions explain top cluster-info',
  helm: 'version list status history',
  terraform: '--version -v -version version',
  tofu: '--version version',
  packer: '--version',
  pulumi: 'version',
  kustomize: 'version',
  minikube: 'version status',
  kind: 'version',
  apt: '--version list search show policy depends rdepends',
  'apt-get': '--version',
  'apt-cache': '--version show search policy depends rdepends showpkg pkgnames stats',
  aptitude: '--version',
  'apt-mark': '--version showauto showmanual showhold',
  'apt-config': '--version',
  dnf: '--version list search info',
  yum: '--version list search info',
  pacman: '--version -V -Q -Qi -Ql -Qs -Ss',
  brew: '--version list info search',
  apk: '--version info search list',
  zypper: '--version search info',
  'add-apt-repository': '--version',
  'apt-key': 'list',
  snapcraft: '--version',
  sfdx: '--version',
  firebase: '--version',
  gcloud: '--version version info',
  heroku: '--version',
  aws: '--version',
  code: '--version',
  subl: '--version',
  cpack: '--version',
  gsutil: '--version version ls cat stat du',
  bq: '--version version ls show',
  scalar: 'version',
  'dpkg-buildpackage': '--version --help',
  'dpkg-source': '--version --help',
  systemctl:
    '--version status show cat list-units list-unit-files list-timers list-sockets list-jobs list-dependencies is-active is-enabled is-failed ' +
    'is-system-running get-default show-environment',
  loginctl: '--version list-sessions list-users list-seats session-status user-status show-session show-user',
  timedatectl: '--version status show list-timezones timesync-status',
  hostnamectl: '--version status hostname',
  localectl: '--version status list-locales list-keymaps',
  networkctl: '--version list status lldp',
  busctl: '--version list status tree introspect',
};

/** Without a command, or with display options only, these also just read. */
const READS_WITHOUT_COMMAND = new Set(
  'systemctl loginctl timedatectl hostnamectl localectl networkctl busctl'.split(' '),
);
const ABOUT_SHOWING =
  /^(?:--(?:no-pager|user|system|no-legend|plain|all|full|quiet|failed|no-ask-password|type=\w+|state=\w+)|-[alq])$/;

/**
 * Options of a reading command that only choose what is shown and how. The lists are closed: a program may have others that
 * load code or settings, and may accept them abbreviated.
 */
const COMMON_DISPLAY_OPTIONS = '--json --long --all --quiet --verbose --no-pager --no-color --no-legend --help';
const DISPLAY_OPTIONS: Readonly<Record<string, string>> = {
  npm: '--depth --omit --include --parseable --global -g -a -l --link --workspaces --package-lock-only --unicode',
  pip: '--format --outdated --uptodate --user --local --editable --not-required --exclude --path -o -u -l -e -q -v -f --files',
  deno: '--filter --private',
  docker:
    '-a -q -f -n -s -t --filter --format --last --latest --no-trunc --size --tail --since --until --timestamps --follow --details --digests --no-stream --limit --type -d --human',
  kubectl:
    '-n --namespace -A --all-namespaces -o --output -l --selector --show-labels --sort-by --no-headers -w --watch --tail --since --since-time --timestamps -c --container --previous -p --all-containers --prefix --limit-bytes --ignore-not-found --recursive --api-version --client --short --containers --field-selector',
  helm: '-n --namespace -A --all-namespaces -o --output -a -q --max --revision --filter',
  terraform: '-json',
  apt: '--installed --upgradable --all-versions -a --names-only -n --full -f --recurse --important',
  systemctl:
    '-l -n --lines -o --output -p --property --type --state --failed --user --system --plain --full --value -t -a -q --reverse',
  loginctl: '-l -n --lines -o --output -p --property --full --value -a',
  timedatectl: '-p --property --value -a',
  networkctl: '-a -l -n --lines --full --stats -s',
  busctl: '--user --system --unique --acquired --activatable --list --show-machine',
  pacman: '-Q -Qi -Ql -Qs -Ss',
  brew: '--versions --formula --cask -1 -l -r -t',
  gsutil: '-l -h -r -d -a',
  dnf: '--installed --available --updates',
};
const DISPLAY_OPTIONS_OF: Readonly<Record<string, string>> = {
  podman: 'docker',
  nerdctl: 'docker',
  'apt-cache': 'apt',
  yum: 'dnf',
  tofu: 'terraform',
  pipx: 'pip',
};

function isDisplayOption(name: string, arg: string): boolean {
  if (!arg.startsWith('-') || arg === '-') return true;
  const known = `${COMMON_DISPLAY_OPTIONS} ${DISPLAY_OPTIONS[DISPLAY_OPTIONS_OF[name] ?? name] ?? ''}`.split(' ');
  const [option = ''] = arg.split('=', 1);
  return known.includes(option) || (/^-[a-z]\d+$/.test(arg) && known.includes(arg.slice(0, 2)));
}

/** Whether a runner does more than read. */
export function runnerFinding(names: ReadonlySet<string>, args: readonly string[]): Finding | undefined {
  for (const name of names) {
    if (!Object.hasOwn(READ_ONLY, name)) continue;
    const shows = READS_WITHOUT_COMMAND.has(name);
    const at = shows ? args.findIndex((arg) => !ABOUT_SHOWING.test(arg)) : 0;
    const first = args[at];
    if (first === undefined && shows) continue;
    if (first === undefined || !isReadOnlyCall(name, first, args.length - at))
      return projectCode(
        first === undefined ? 0 : at + 1,
        `${name} ${first ?? ''}`.trimEnd() +
          ' runs scripts that the project defines (such as those in package.json), or changes the system',
      );
    const beside = args.findIndex((arg, i) => i > at && !isDisplayOption(name, arg));
    if (beside > 0)
      return projectCode(
        beside + 1,
        `the option ${args[beside]} of ${name} is not known to be harmless: it may load other code or settings`,
      );
  }
  return undefined;
}

/** An option such as `--version` must be the only argument: after it, some programs still run what follows. */
function isReadOnlyCall(name: string, first: string, words: number): boolean {
  if (first === '' || !READ_ONLY[name]!.split(' ').includes(first)) return false;
  if (name === 'pacman') return true;
  return words === 1 || !(first.startsWith('-') || (name === 'npm' && first === 'version'));
}

export function isRunner(name: string): boolean {
  return Object.hasOwn(READ_ONLY, name);
}
