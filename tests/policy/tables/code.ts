import { table } from '../machine.ts';

/** Further ways to code that is no script file. `program: command`. */
export const CODE = table(String.raw`
    python3-dbg: python3-dbg -c 1
    python3.11-dbg: python3.11-dbg -c 1
    emacs-nox: emacs-nox --eval 1
    emacs29-nox: emacs29-nox x
    gdb-multiarch: gdb-multiarch x
    node-20: node-20 -e 1
    php8.2: php8.2 -r 1
    ksh93: ksh93 -c id
    bash-static: bash-static -c id
    perl5.36-x86_64-linux-gnu: perl5.36-x86_64-linux-gnu -e 'system("id")'
    perl5.36.0: perl5.36.0 -e 1
    perl: /usr/bin/perl5.36-x86_64-linux-gnu -e 1
    node: node --max-old-space-size -e 'console.log(1)'
    node: node --stack-trace-limit -e 1
    node: node --unhandled-rejections -e 1
    node: node --title=x -e 1
    node: node --import=data:text/javascript,1 x.js
    node: node --experimental-default-type=module -
    node: node --watch x.js
    node: node --env-file .env x.js
    node: node --conditions=x -r ./a x.js
    node: node --inspect=0.0.0.0:1 x.js
    node: node --test-reporter=./x.js x.js
    node: node --experimental-config-file=x x.js
    node: node --icu-data-dir=. x.js
    node: node --diagnostic-dir=/ x.js
    node: node --cpu-prof x.js
    node: node --redirect-warnings=/tmp/x x.js
    node: node --trace-event-file-pattern=/tmp/x x.js
    node: node --heapsnapshot-signal=SIGUSR2 x.js
    node: node --build-snapshot x.js
    node: node file:///tmp/x.js
    node: node https://x/x.js
    node: nodejs -e 1
    python3: python3 -c 'import os'
    python3: python3 -Bc 1
    python3: python3 -W error::x.y x.py
    python3: python3 -W ignore -c 1
    python3: python3 -u -
    python3: python3 -u
    python3: python3 -im x
    python3: python3 -Xfrozen_modules=off x.py
    python3: python3 /dev/../dev/stdin
    python3: python3 /proc/thread-self/fd/0
    python3: python3 /dev/fd/3
    python3: python3 -- -
    python3: python3 --
    python3,echo: echo 'import os' | python3
    python3,cat: cat x.py | python3 -
    python3,cat: cat x.py | python3 -u /dev/stdin
    pydoc3: pydoc3 ./x.py
    pydoc3: pydoc3 -p 8000
    pdb3: pdb3 x.py
    php: php -- x.php
    php: php -a
    php: php -f /dev/stdin
    php: php -F x
    php: php -z x.so
    php: php -c . x.php
    php: php -dauto_prepend_file=x y.php
    php: php -nr 1
    tclsh: tclsh --version
    tclsh: tclsh -- x
    tclsh8.6: tclsh8.6 -encoding utf-8 x
    wish: wish --version
    ruby: ruby -rx y.rb
    ruby: ruby -wne 1 x
    ruby: ruby -C /tmp x.rb
    ruby: ruby -S x
    ruby: ruby -x y
    ruby: ruby -W0 -e 1
    ruby: ruby --enable=x -e1
    perl: perl -le 1
    perl: perl -0777 -ne 1
    perl: perl -mX x.pl
    perl: perl -x y
    perl: perl -S y
    perl: perl -s -e 1
    perl: perl -C -e 1
    perl: perl -T -e 1
    perl: perl -- -
    perl: perl -cE 1
    perl: perl -F: -ane 1
    perl: perl -V:x -e 1
    lua: lua -i x.lua
    lua: lua -
    lua5.4: lua5.4 -e 1
    luajit: luajit -b x y
    deno: deno run x.ts
    deno: deno x.ts
    deno: deno task x
    deno: deno repl
    deno: deno test
    deno: deno -A x.ts
    bun: bun x
    bun: bun test
    bun: bun -p 1
    java: java X.java
    java: java -cp . X
    java: java -javaagent:x.jar -version
    javac: javac -J-javaagent:x.jar X.java
    jar: jar -J-javaagent:x.jar tf a.jar
    keytool: keytool -J-javaagent:x.jar -list
    javap: javap -J-agentpath:x.so X
    javac: javac -processorpath . X.java
    javac: javac -processor X Y.java
    javac: javac -Xplugin:x Y.java
    javac: javac @args
    javadoc: javadoc -doclet X Y.java
    jdb: jdb X
    jrunscript: jrunscript -e 1
    jshell: jshell x.jsh
    jexec: jexec x.jar
    jcmd: jcmd 1 JVMTI.agent_load x.so
    jpackage: jpackage --x
    lli: lli x.bc
    lli-14: lli-14 x.bc
    opt: opt -load ./x.so x
    opt: opt -load-pass-plugin=./x.so x
    llc: llc -load=./x.so x
    qjs: qjs -e 1
    d8: d8 -e 1
    js: js -e 1
    wasmtime: wasmtime x.wasm
    octave: octave --eval 1
    octave-cli: octave-cli --eval 1
    erl: erl --version
    vim: vim -V
    vim: vim -version
    view: view -V
    ex: ex -V
    vi: vi -V
    gdbtui: gdbtui x
    gcore: gcore 1
    gdb: gdb -x f
    gdb: gdb --eval-command=x
    gdb: gdb -p 1
    gdb: gdb x
    cscope: cscope -d
    pgbench: pgbench -f x
    prove: prove t/x.t
    prove: prove -e id x
    instmodsh: instmodsh
    json_pp: json_pp -f eval
    json_pp: json_pp -feval
    json_pp: json_pp --f=eval
    mysql: mysql -e 'select 1'
    mysql: mysql
    psql: psql x
    psql: psql -f x
    sqlite3: sqlite3 x '.shell id'
    sqlite3: sqlite3 :memory: 'select load_extension("x")'
    sqlite3: sqlite3 -cmd '.shell id' x
    sqlite3: sqlite3 -init x y
    redis-cli: redis-cli eval x
    mongosh: mongosh --eval x
    dc: dc
    ed: ed -s x
    perl: perl '-e1'
    rvim: rvim x
`);
