import { table } from '../machine.ts';

/** Code that is no script file. `program: command`. */
export const INTERPRETERS = table(String.raw`
    python3: python3 -c 1
    python3: python3 -c1
    python3: python3 -Ic 1
    python3: python3 -m http.server
    python3: python3 -mhttp.server
    python3: python3 -Bm x
    python3: python3
    python3: python3 -
    python3: python3 -i x.py
    python3: python3 -X importtime x.py
    python3: python3 /dev/stdin
    python3: python3 /dev/fd/0
    python3: python3 /proc/self/fd/0
    python3: python3 //dev//stdin
    python3: python3 --check-hash-based-pycs always x.py
    python3: python3.11 -c 1
    /usr/bin/python3.11: python3 -c 1
    /tmp/x/head: /tmp/x/head -c 1
    pypy3: pypy3 -c 1
    node: node -e 1
    node: node -p 1
    node: node -pe 1
    node: node --eval=1
    node: node --print 1
    node: node --eval 1
    node: node -r ./x.js y.js
    node: node --require ./x.js y.js
    node: node --require=./x.js y.js
    node: node --import ./x.js y.js
    node: node --loader ./x.mjs y.js
    node: node --experimental-loader=./x.mjs y.js
    node: node --env-file=.env y.js
    node: node --run build
    node: node --test
    node: node -i
    node: node
    node: node -
    node: node inspect x.js
    node: node --inspect-brk x.js
    node: node --snapshot-blob x y.js
    node: node --openssl-config=x y.js
    node: node data:text/javascript,1
    perl: perl -e 1
    perl: perl -E 1
    perl: perl -we 1
    perl: perl -ne 1 x
    perl: perl -pi -e 1 x
    perl: perl -MPOSIX x.pl
    perl: perl -I. x.pl
    perl: perl -d x.pl
    perl: perl
    ruby: ruby -e 1
    ruby: ruby -ne 1
    ruby: ruby -r./x y.rb
    ruby: ruby -I. y.rb
    php: php -r 1
    php: php -B 1
    php: php -d auto_prepend_file=x y.php
    php: php -S localhost:1
    lua: lua -e 1
    lua: lua -l x y.lua
    Rscript: Rscript -e 1
    R: R -e 1
    julia: julia -e 1
    elixir: elixir -e 1
    erl: erl -eval 1
    guile: guile -c 1
    groovy: groovy -e 1
    ghc: ghc -e 1
    raku: raku -e 1
    clojure: clojure -e 1
    tclsh: tclsh
    deno: deno eval 1
    deno: deno run -A x.ts
    bun: bun -e 1
    bun: bun x.ts
    bun: bun run build
    java: java -jar x.jar
    jshell: jshell
    awk: awk 'BEGIN{system("id")}'
    gawk: gawk -e 1
    gawk: gawk --source=1
    gawk: gawk -l x -f y.awk
    gawk: gawk -i inplace -f y.awk
    awk: awk -f /dev/stdin x
    awk: awk -f - x
    sed: sed 's/a/b/e' x
    sed: sed -n '1e id' x
    sed: sed 'w /tmp/x' x
    sed: sed -f x.sed y
    dc: dc -e '!id'
    m4: m4 x
    gdb: gdb -batch -ex 'shell id'
    lldb: lldb -o x
    vim: vim -c ':!id' x
    vi: vi x
    ex: ex x
    ed: ed x
    emacs: emacs --batch --eval 1
    sqlite3: sqlite3 x.db '.shell id'
    psql: psql -c '\! id'
    mysql: mysql -e 'system id'
    ftp: ftp x
    tex: tex --shell-escape x
    pdflatex: pdflatex -shell-escape x
    gs: gs -dNOSAFER x.ps
    gnuplot: gnuplot -e 'system "id"'
    rename: rename 's/a/b/' x
    fzf: fzf --preview id
  `);
