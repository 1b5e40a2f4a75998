/**
 * Rust. Cargo reads `.cargo/config.toml` of the project and builds what it names, so all of it has the class `project`, and through
 * rustup the project chooses the toolchain even for `--version`.
 */
import { all, type Family, names, subcommands } from './family.ts';

const BUILD = {
  flags: names(
    '-q -v -r --quiet --verbose --release --all-targets --all-features --no-default-features --workspace --all --lib --bins --tests --examples --benches --locked --offline --frozen --keep-going --no-run --no-fail-fast --doc',
  ),
  valued: {
    ...all('text', '-p -F --package --features --bin --test --example --bench --exclude --profile --message-format'),
    ...all('num', '-j --jobs'),
  },
  operands: ['text*'],
} as const;

export const RUST: Family = {
  title: 'Rust',
  read: 'cargo and rustc 1.63 to 1.81, rustfmt 1.7',
  programs: {
    cargo: {
      grammar: 'getopt',
      class: 'project',
      flags: names('-V --version'),
      requires: names('-V --version'),
      operands: [],
      subcommands: {
        ...subcommands('build b check c test t run r clippy doc bench', BUILD),
        fmt: { flags: names('--all --check -q --quiet'), operands: [] },
        metadata: {
          flags: names('--no-deps --offline --locked --frozen'),
          valued: { '--format-version': 'num' },
          operands: [],
        },
        tree: { flags: names('-d -i --duplicates --offline --locked --frozen'), operands: ['text'] },
        clean: { operands: [] },
        ...subcommands('add remove update fetch install search', {
          class: 'network',
          flags: names('--locked --dev --dry-run'),
          operands: ['text*'],
        }),
      },
      pass: [],
      ask: [
        'cargo --version',
        'cargo build',
        'cargo test',
        'cargo --config x build',
        'cargo +nightly build',
        'cargo build --target-dir=x',
        'cargo -Z x build',
        'cargo install x',
        'cargo rustc',
      ],
    },
    rustc: {
      grammar: 'getopt',
      class: 'project',
      flags: names('-V --version -vV'),
      requires: names('-V --version -vV'),
      operands: [],
      responseFiles: true,
      pass: [],
      ask: ['rustc --version', 'rustc a.rs', 'rustc @args', 'rustc -C linker=x a.rs'],
    },
    rustfmt: {
      grammar: 'getopt',
      class: 'project',
      flags: names('-V --version --check -q --quiet'),
      requires: names('-V --version --check'),
      operands: ['in*'],
      pass: [],
      ask: ['rustfmt a.rs', 'rustfmt --version', 'rustfmt --config-path=x a.rs'],
    },
  },
};
