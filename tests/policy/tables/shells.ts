import { table } from '../machine.ts';

/** Shells, by every way in. `program: command`. */
export const SHELLS = table(`
    sh: sh -c id
    dash: sh -c id
    bash: bash -lc id
    bash: bash -ec id
    bash: bash -o errexit -c id
    bash: bash --norc -c id
    bash: bash --rcfile x -i
    bash: bash x.sh
    bash: bash
    bash: bash --version
    zsh: zsh -fc id
    fish: fish -c id
    ksh: ksh -c id
    rbash: rbash -c id
    csh: csh -c id
    pwsh: pwsh -c id
    bash: echo id | bash
    bash: echo id | bash -s
    bash: /usr/bin/bash x
    /usr/bin/*: bash x
    /usr/**: dash x
  `);
