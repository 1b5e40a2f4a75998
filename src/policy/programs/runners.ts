/** Programs that run what a project's files say, or manage packages and containers: only commands that just look are plain. */
import { type Finding, projectCode } from './finding.ts';

const LOOKING: Readonly<Record<string, string>> = {
  npm: '--version -v version ls list ll view info show outdated root prefix bin search ping whoami',
  npx: '--version -v',
  pnpm: '--version -v ls list why outdated root bin',
  // A file of the project names the program that answers, whatever is asked.
  yarn: '',
  corepack: '--version',
  bun: '--version -v --revision',
  bunx: '--version',
  deno: '--version -V info doc types',
  pip: '--version -V list show freeze check',
  pipx: '--version list',
  pipenv: '--version',
  poetry: '--version -V show about',
  uv: '--version -V version',
  uvx: '--version',
  tox: '--version',
  nox: '--version',
  pytest: '--version',
  'py.test': '--version',
  invoke: '--version',
  fab: '--version',
  hatch: '--version',
  pdm: '--version',
  rye: '--version',
  cargo: '--version -V version --list locate-project pkgid search',
  rustup: '--version -V show',
  rustc: '--version -V',
  go: 'version help',
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
  just: '--version --list -l --summary',
  task: '--version --list',
  mage: '-version',
  rake: '--version',
  mvn: '',
  mvndebug: '',
  gradle: '--version -v',
  gradlew: '--version',
  ant: '-version',
  sbt: '',
  lein: 'version',
  mix: '--version',
  rebar3: 'version',
  stack: '--version',
  cabal: '--version',
  dub: '--version',
  zig: 'version env',
  bundle: '--version',
  gem: '--version list environment',
  bundler: '--version',
  mypy: '--version',
  pylint: '--version',
  pyright: '--version',
  rpmbuild: '--version',
  composer: '--version',
  cpan: '-v',
  luarocks: '--version list',
  opam: '--version list',
  conan: '--version',
  grunt: '--version',
  gulp: '--version',
  webpack: '--version',
  vite: '--version',
  jest: '--version',
  vitest: '--version',
  mocha: '--version',
  eslint: '--version',
  tsc: '--version -v',
  prettier: '--version',
  turbo: '--version',
  nx: '--version',
  lerna: '--version',
  docker: '--version -v version info ps images logs inspect top port stats history diff events search',
  podman: '--version -v version info ps images logs inspect top port stats history diff events search',
  nerdctl: '--version version ps images',
  'docker-compose': '--version version ps',
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

/** Without a command, or behind options about how to show it, they only look, too. */
const SHOWS_ALONE = new Set('systemctl loginctl timedatectl hostnamectl localectl networkctl busctl'.split(' '));
const ABOUT_SHOWING =
  /^(?:--(?:no-pager|user|system|no-legend|plain|all|full|quiet|failed|no-ask-password|type=\w+|state=\w+)|-[alq])$/;

/** Options in front of, or beside, a looking command that bring in other code or configuration. */
const BESIDE =
  /^(?:--?(?:userconfig|globalconfig|prefix|script-shell|node-options|config|C|kubeconfig|host|H|M|machine|root|image|context|exec|toolexec|manifest-path|Z|option|require|plugins?-dir|python|target|viewer|browser|log|output-directory|cache-dir)(?:=|$))/;
/** apt and its relatives take any setting, also joined to its letter. */
const APT_SETTING = /^-[a-z]*[oc]/;

/** Whether a runner is asked for more than a look. */
export function runnerFinding(names: ReadonlySet<string>, args: readonly string[]): Finding | undefined {
  for (const name of names) {
    if (!Object.hasOwn(LOOKING, name)) continue;
    const shows = SHOWS_ALONE.has(name);
    const at = shows ? args.findIndex((arg) => !ABOUT_SHOWING.test(arg)) : 0;
    const first = args[at];
    if (first === undefined && shows) continue;
    if (first === undefined || !isLook(name, first, args.length - at))
      return projectCode(
        first === undefined ? 0 : at + 1,
        `${name} ${first ?? ''}`.trimEnd() + ' runs code that files of the project name, or changes the system',
      );
    const beside = args.findIndex(
      (arg, i) => i > at && (BESIDE.test(arg) || (name.startsWith('apt') && APT_SETTING.test(arg))),
    );
    if (beside > 0)
      return projectCode(beside + 1, `the option ${args[beside]} of ${name} brings in other code or settings`);
  }
  return undefined;
}

/** An option that asks something stands alone: behind it, some programs still do what comes next. */
function isLook(name: string, first: string, words: number): boolean {
  if (first === '' || !LOOKING[name]!.split(' ').includes(first)) return false;
  if (name === 'pacman') return true;
  return words === 1 || !(first.startsWith('-') || (name === 'npm' && first === 'version'));
}
