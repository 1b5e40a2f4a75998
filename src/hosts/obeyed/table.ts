/**
 * The files that programs on the host obey. Class 1: obeyed at a prompt, on entering a folder, by an editor or client that
 * opens it, or by a commit. Class 2: decides which program a tool starts. Class 3: project code, which runs in a build or a
 * test. A pattern has one or more components; `*` matches any part of a name. Paths below a match are obeyed too.
 */

export type ObeyedClass = 1 | 2 | 3;

export interface ObeyedRow {
  readonly class: ObeyedClass;
  readonly reader: string;
  readonly patterns: readonly string[];
  /** `ran`: in an experiment, a planted file ran a program without a prompt. `documented`: according to the reader's documentation. */
  readonly evidence: 'ran' | 'documented';
  /** Obeyed only in a folder that also has one of these names. */
  readonly beside?: readonly string[];
  /** Files that name scripts, which are obeyed too: all files directly in the match, or those of these patterns. */
  readonly namesFiles?: true | readonly string[];
  /** The reader looks for it in a home folder. */
  readonly inHome?: true;
  /** The patterns that file tools do not write. */
  readonly closedToTools?: ClosedRow;
}

/** Paths that file tools do not write, with all paths below them. */
export interface ClosedRow {
  /** `config`: it sets what agents may do. `client`: the reader starts programs that it finds there. */
  readonly as: 'config' | 'client';
  readonly patterns: readonly string[];
  /** Exceptions below a pattern: text that starts no program, and worktrees. `**` matches any number of folders. */
  readonly open: readonly string[];
}

const names = (text: string): readonly string[] => text.split(/\s+/u).filter((name) => name !== '');
const client = (patterns: string, open = ''): ClosedRow => ({
  as: 'client',
  patterns: names(patterns),
  open: names(open),
});

/** Roo Code, Cline, Copilot, Amazon Q, Continue, Qwen Code, Junie, Trae, Factory, Amp, Crush, Pi, Aider, OpenHands and Augment. */
const OTHER_AGENTS =
  '.roo .clinerules/hooks .github/hooks .amazonq .continue .qwen .junie .trae .factory .amp .crush .crush.json crush.json .pi .aider.conf.yml .openhands .cline .augment';

/** The first matching row counts. */
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
    patterns: names('.vscode *.code-workspace .idea .zed .fleet .helix .nova .vs .theia *.sublime-project'),
    evidence: 'documented',
    namesFiles: ['.vscode/mcp.json'],
    closedToTools: client(
      '.vscode *.code-workspace .idea .zed .fleet .helix .nova .vs .theia *.sublime-project',
      '*.code-snippets',
    ),
  },
  { class: 1, reader: 'editors', patterns: names('.devcontainer .devcontainer.json'), evidence: 'documented' },
  {
    class: 1,
    reader: 'Claude Code',
    patterns: names('.mcp.json .claude.json .claude'),
    evidence: 'documented',
    namesFiles: names('.mcp.json .claude.json .claude/settings.json .claude/settings.local.json'),
    closedToTools: client('.mcp.json .claude.json .claude', 'CLAUDE.md rules/**/*.md plans/**/*.md worktrees/**/*'),
  },
  {
    class: 1,
    reader: 'Codex',
    patterns: ['.codex'],
    evidence: 'documented',
    namesFiles: names('.codex/config.toml .codex/hooks.json'),
    closedToTools: client('.codex', 'AGENTS.md worktrees/**/*'),
  },
  {
    class: 1,
    reader: 'Cursor',
    patterns: names('.cursor .cursorrules'),
    evidence: 'documented',
    namesFiles: names('.cursor/mcp.json .cursor/hooks.json'),
    closedToTools: client('.cursor', 'rules/**/*.mdc rules/**/*.md plans/**/*.md worktrees/**/*'),
  },
  {
    class: 1,
    reader: 'Gemini CLI',
    patterns: ['.gemini'],
    evidence: 'documented',
    namesFiles: ['.gemini/settings.json'],
    closedToTools: client('.gemini', 'GEMINI.md styleguide.md worktrees/**/*'),
  },
  {
    class: 1,
    reader: 'opencode',
    patterns: names('.opencode opencode.json opencode.jsonc'),
    evidence: 'documented',
    namesFiles: names('opencode.json opencode.jsonc'),
    closedToTools: client('.opencode opencode.json opencode.jsonc', 'plans/**/*.md'),
  },
  {
    class: 1,
    reader: 'OpenClaw',
    patterns: ['.openclaw'],
    evidence: 'documented',
    namesFiles: ['.openclaw/openclaw.json'],
    closedToTools: client('.openclaw', 'workspace/**/* workspace-*/**/* sandboxes/**/*'),
  },
  {
    class: 1,
    reader: 'Windsurf',
    patterns: ['.windsurf'],
    evidence: 'documented',
    namesFiles: ['.windsurf/hooks.json'],
    closedToTools: client('.windsurf', 'rules/**/*.md plans/**/*.md worktrees/**/*'),
  },
  {
    class: 1,
    reader: 'Kiro',
    patterns: ['.kiro'],
    evidence: 'documented',
    closedToTools: client('.kiro', 'steering/**/*.md specs/**/*.md'),
  },
  {
    class: 1,
    reader: 'other coding agents',
    patterns: names(OTHER_AGENTS),
    evidence: 'documented',
    closedToTools: client(OTHER_AGENTS, 'rules/**/*.md rules-*/**/*.md guidelines.md QWEN.md'),
  },
  {
    class: 1,
    reader: 'pincer',
    patterns: names('pincer.jsonc pincer.rules.jsonc'),
    evidence: 'ran',
    closedToTools: { as: 'config', patterns: names('pincer.jsonc pincer.rules.jsonc'), open: [] },
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
  {
    class: 1,
    reader: 'hg, jj, svn',
    patterns: names('.hg .jj .svn'),
    evidence: 'documented',
    closedToTools: client('.hg .jj .svn'),
  },
  {
    class: 1,
    reader: 'vim, Emacs',
    patterns: names('.exrc .vimrc .nvimrc .nvim.lua .lvimrc .local.vimrc .dir-locals.el'),
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

/** Folders that tools fill and people do not read; files in them are obeyed by a build only. */
export const BUILD_FOLDERS: ReadonlySet<string> = new Set(
  names('node_modules .venv venv target __pycache__ .next .turbo .gradle'),
);

/**
 * Dot names that file tools may write in a home folder. Shells, git, ssh, clients and desktops obey most of the others, and a
 * list of those is never complete.
 */
export const OPEN_IN_HOME: ReadonlySet<string> = new Set(names('.editorconfig .env .gitignore .trash'));

/** Names without a dot that file tools do not write in a home folder: on PATH, or obeyed at login by macOS and Windows. */
export const CLOSED_IN_HOME: readonly string[] = names('bin go/bin Library AppData');
