/**
 * Files that programs on the host obey, as data. Class 1: obeyed at a prompt, on entering a folder, by an editor or client that
 * opens it, or by a commit. Class 2: decides which program a tool starts. Class 3: project code, which runs when somebody
 * builds or tests. A pattern is one or more names; `*` stands for any part of a name. What is below a match is obeyed, too.
 */

export type ObeyedClass = 1 | 2 | 3;

/** One reader and the files that it obeys. */
export interface ObeyedRow {
  readonly class: ObeyedClass;
  readonly reader: string;
  readonly patterns: readonly string[];
  /** `ran`: a planted file ran a program without a question when this was tried. `documented`: the reader's documentation says so. */
  readonly evidence: 'ran' | 'documented';
  /** Only in a folder that has one of these, too. */
  readonly beside?: readonly string[];
  /** They name scripts, which are obeyed as well; clients' files that `refusedToTools` has do, too. */
  readonly namesFiles?: true;
  /** Its reader looks for it in a home folder. */
  readonly inHome?: true;
  /** Those of the patterns, or narrower ones, that file tools refuse to write, and why. */
  readonly refusedToTools?: { readonly as: 'config' | 'client'; readonly patterns: readonly string[] };
}

const names = (text: string): readonly string[] => text.trim().split(/\s+/u);
const client = (text: string): NonNullable<ObeyedRow['refusedToTools']> => ({ as: 'client', patterns: names(text) });

/** The table; the first row that matches names the reader. */
export const OBEYED: readonly ObeyedRow[] = [
  { class: 1, reader: 'git', patterns: ['.git'], evidence: 'ran' },
  { class: 1, reader: 'git hooks', patterns: ['.husky', '.githooks'], evidence: 'ran', namesFiles: true },
  {
    class: 1,
    reader: 'git hooks',
    patterns: names('lefthook*.yml lefthook*.yaml lefthook*.json lefthook*.toml .lefthook* .config/lefthook*'),
    evidence: 'ran',
    namesFiles: true,
  },
  {
    class: 1,
    reader: 'git hooks',
    patterns: names('.pre-commit-config.yaml .overcommit.yml'),
    evidence: 'documented',
    namesFiles: true,
  },
  { class: 1, reader: 'direnv', patterns: ['.envrc'], evidence: 'documented', namesFiles: true },
  {
    class: 1,
    reader: 'direnv',
    patterns: names('.env flake.nix shell.nix default.nix devenv.nix devenv.yaml'),
    evidence: 'ran',
    beside: ['.envrc'],
  },
  {
    class: 1,
    reader: 'mise, asdf',
    patterns: names('mise*.toml .mise*.toml .mise .tool-versions .config/mise*'),
    evidence: 'documented',
  },
  {
    class: 1,
    reader: 'editors',
    patterns: names('.vscode *.code-workspace .idea .zed .fleet'),
    evidence: 'documented',
    refusedToTools: client('.vscode/mcp.json'),
  },
  { class: 1, reader: 'editors', patterns: names('.devcontainer .devcontainer.json'), evidence: 'documented' },
  {
    class: 1,
    reader: 'Claude Code',
    patterns: names('.mcp.json .claude.json .claude'),
    evidence: 'documented',
    refusedToTools: client('.mcp.json .claude.json .claude/settings.json .claude/settings.local.json'),
  },
  {
    class: 1,
    reader: 'Codex',
    patterns: ['.codex'],
    evidence: 'documented',
    refusedToTools: client('.codex/config.toml .codex/hooks.json'),
  },
  {
    class: 1,
    reader: 'Cursor',
    patterns: names('.cursor .cursorrules'),
    evidence: 'documented',
    refusedToTools: client('.cursor/mcp.json'),
  },
  {
    class: 1,
    reader: 'Gemini CLI',
    patterns: ['.gemini'],
    evidence: 'documented',
    refusedToTools: client('.gemini/settings.json'),
  },
  {
    class: 1,
    reader: 'opencode',
    patterns: names('.opencode opencode.json opencode.jsonc'),
    evidence: 'documented',
    refusedToTools: client('opencode.json opencode.jsonc'),
  },
  {
    class: 1,
    reader: 'OpenClaw',
    patterns: ['.openclaw'],
    evidence: 'documented',
    refusedToTools: client('.openclaw/openclaw.json'),
  },
  { class: 1, reader: 'Windsurf, Kiro', patterns: names('.windsurf .kiro'), evidence: 'documented' },
  {
    class: 1,
    reader: 'Pincer',
    patterns: names('pincer.jsonc pincer.rules.jsonc'),
    evidence: 'ran',
    refusedToTools: { as: 'config', patterns: names('pincer.jsonc pincer.rules.jsonc') },
  },
  {
    class: 1,
    reader: 'shells, ssh and git, where the folder is a home',
    patterns: names(
      '.bashrc .profile .bash_profile .bash_login .zshrc .zshenv .zprofile .zlogin .gitconfig .config/git .ssh',
    ),
    evidence: 'ran',
    inHome: true,
  },
  { class: 1, reader: 'hg, jj, svn', patterns: names('.hg .jj .svn'), evidence: 'documented' },
  {
    class: 1,
    reader: 'vim, Emacs',
    patterns: names('.exrc .vimrc .nvimrc .nvim.lua .dir-locals.el'),
    evidence: 'documented',
  },

  { class: 2, reader: 'npm, pnpm', patterns: ['.npmrc'], evidence: 'ran' },
  { class: 2, reader: 'pnpm', patterns: names('.pnpmfile.cjs pnpm-workspace.yaml'), evidence: 'ran' },
  { class: 2, reader: 'yarn', patterns: names('.yarnrc.yml .yarnrc .yarn/releases .yarn/plugins'), evidence: 'ran' },
  { class: 2, reader: 'rustup', patterns: names('rust-toolchain.toml rust-toolchain'), evidence: 'ran' },
  { class: 2, reader: 'cargo', patterns: names('.cargo/config .cargo/config.toml'), evidence: 'documented' },
  { class: 2, reader: 'make', patterns: ['GNUmakefile'], evidence: 'ran' },
  { class: 2, reader: 'pytest', patterns: ['pytest.ini'], evidence: 'ran' },
  { class: 2, reader: 'Python tools', patterns: names('.coveragerc tox.ini sitecustomize.py'), evidence: 'documented' },
  {
    class: 2,
    reader: 'Maven, Gradle, bazel, bundler',
    patterns: names('.mvn gradle/wrapper gradlew gradle.properties .bazelrc .bundle/config'),
    evidence: 'documented',
  },
  {
    class: 2,
    reader: 'compose',
    patterns: names(
      'docker-compose.override.yml docker-compose.override.yaml compose.override.yml compose.override.yaml',
    ),
    evidence: 'documented',
  },
  { class: 2, reader: 'git', patterns: names('.gitattributes .gitmodules'), evidence: 'documented' },
  {
    class: 2,
    reader: 'CI after a push',
    patterns: names('.github/workflows .gitlab-ci.yml Jenkinsfile'),
    evidence: 'documented',
  },

  {
    class: 3,
    reader: 'npm, make, pytest, cargo, linters',
    patterns: names(
      'package.json Makefile conftest.py setup.py build.rs eslint.config.* .prettierrc* prettier.config.* vite.config.*',
    ),
    evidence: 'ran',
  },
  { class: 3, reader: 'npm', patterns: ['node_modules/.bin'], evidence: 'ran' },
];

/** Folders that tools fill and that nobody reads by hand; what is obeyed in them is obeyed by a build. */
export const BUILD_FOLDERS: ReadonlySet<string> = new Set(
  names('node_modules .venv venv target __pycache__ .next .turbo .gradle'),
);

/**
 * Names with a dot that file tools write in a home folder. Shells, git, ssh, clients and desktops obey most of the others there,
 * and a list of those is never complete.
 */
export const OPEN_IN_HOME: ReadonlySet<string> = new Set(names('.cache .editorconfig .env .gitignore .trash'));
