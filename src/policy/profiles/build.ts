/** Build programs of other languages: they run what files of the project say. */
import { type Family, names } from './family.ts';

const TOOLS =
  'gradle mvn ant bazel rake bundle composer phpunit rspec dotnet swift mix sbt lein deno bun just task ctest meson ninja';

export const BUILD: Family = {
  title: 'build programs',
  read: 'GNU make 4.3, cmake 3.25, gradle 8, maven 3.9, deno 2, bun 1.1, and the manuals of the others in 2025',
  programs: {
    // `-n` also runs `$(shell …)` and lines with `+`. `VAR=value` is an operand.
    make: {
      grammar: 'getopt',
      class: 'project',
      flags: names('-B -k -n -s -v --version --always-make --keep-going --dry-run --silent --no-print-directory'),
      classWith: { '-v': 'read', '--version': 'read', '-n': 'project', '-B': 'project', '-k': 'project' },
      optional: { '-j': 'num', '--jobs': 'num' },
      operands: ['text*'],
      pass: ['make --version', 'make -v'],
      ask: [
        'make',
        'make test',
        'make -n',
        'make -f x',
        'make --eval=x',
        'make -C / x',
        'make -vn',
        'make -vf x',
        'make --vers',
      ],
    },
    cmake: {
      grammar: 'getopt',
      class: 'project',
      flags: ['--version'],
      classWith: { '--version': 'read' },
      operands: [],
      requires: ['--version'],
      pass: ['cmake --version', 'cmake --version --'],
      ask: ['cmake .', 'cmake -P x.cmake', 'cmake -E x', 'cmake --build .', 'cmake --vers'],
    },
    ...Object.fromEntries(
      names(TOOLS).map((name) => [
        name,
        {
          grammar: 'posix',
          class: 'project',
          flags: names('--version -v'),
          operands: ['text*'],
          pass: [],
          ask: [`${name} --version`, `${name} test`, `${name} --x`],
        } as const,
      ]),
    ),
  },
  aliases: { gmake: 'make' },
};
