import { table } from '../machine.ts';

/** Calls of allowlisted programs with their natural arguments. `programs: command`. */
export const ORDINARY = table(String.raw`
    ls: ls
    ls: /usr/bin/ls
    ls: /bin/ls
    /bin/ls: ls
    /bin/ls: /usr/bin/ls -la
    ls: ls "My Documents"
    ls: ls 'a b' "c d" e\ f
    ls: ls ""
    ls: ls -- -x
    ls: ls "\$HOME"
    ls: ls \$HOME
    ls: ls \*
    ls: ls a=b
    ls: ls a,b a@b a%b a+b a:b
    ls: ls --color=auto
    ls: ls --sort=time -lh
    ls:   ls   -la
    echo: echo 'a; b && c | d > e'
    echo: echo "it's"
    echo: echo 'say "hi"'
    echo: echo "say \"hi\""
    echo: echo a#b
    echo: echo '#x'
    echo: echo "100%"
    echo: echo a~b
    echo: echo "a~"
    echo: echo 50% off
    echo: echo hello, world.
    echo: echo {}
    echo: echo '{a,b}'
    echo: echo "{a,b}"
    echo: echo "price: 5$"
    echo: echo 'cost $5'
    echo: echo "hi!"
    echo: echo hi!
    echo: echo "wow! great"
    echo: echo "a\\b"
    echo: echo 'a\b'
    echo: echo "(x)"
    echo: echo '[x]'
    echo: echo "[x]"
    echo: echo "*"
    echo: echo "a?b"
    echo: echo ñandú ü 中文 العربية עברית
    echo: echo 😀 👍🏽 👨‍👩‍👧 ❤️
    echo: echo "naïve café"
    echo: echo a^b
    echo: echo "a^b"
    echo: echo -n x
    echo: echo -e 'a\tb'
    echo: echo 'http://x/?a=b&c=d'
    echo: echo "http://x/?a=b&c=d"
    echo: echo @{u}
    echo: echo HEAD~1 HEAD^ HEAD@{1}
    echo: echo 'a'b"c"d
    echo: echo ''
    echo: echo "<tag>"
    echo: echo '&'
    echo: echo "a | b"
    echo: echo 1 2 3
    echo: echo -- -n
    echo: echo if then else
    echo: echo time cd exec
    echo: echo !
    echo: echo "tab	inside"
    printf: printf '%s\n' "a b"
    printf: printf "%d\n" 5
    printf: printf '%s' '$(id)'
    cat: cat README.md
    cat: cat -n a b
    cat,sort,uniq,head: cat a | sort | uniq -c | sort -rn | head -5
    grep: grep -rn "TODO(" src
    grep: grep -rn 'foo.*bar' --include='*.ts' .
    grep: grep -E '^(a|b)$' x
    grep: grep -v '^$' x
    grep: grep -- -x y
    grep: grep "it's" x
    grep: grep -n "^import" a.ts
    grep: grep -rl --exclude-dir=node_modules x .
    python3: python3 script.py --flag
    python3: python3 --version
    python3: python3 -V
    python3: python3 ./a.py -c x -m y
    python3: python3 -u a.py
    python3: python3 -B -E a.py
    python3: python3 "my script.py"
    python3: /usr/bin/python3 a.py
    /usr/bin/python3: python3 a.py
    /usr/bin/python3.11: python3 a.py
    /usr/bin/python3: python3.11 a.py
    python3,cat: cat data.json | python3 a.py
    python3: python3 -- a.py
    python3: python3 -OO a.py
    node: node app.js
    node: node --version
    node: node -v
    node: node ./dist/app.js --eval x
    node: node --max-old-space-size=512 app.js
    node: node --enable-source-maps app.js
    node: node --no-warnings app.mjs
    node: node --check app.js
    node: node -- app.js
    node: node .
    npm: npm --version
    npm: npm -v
    npm: npm ls
    npm: npm ls --depth=0
    npm: npm root
    perl: perl x.pl
    perl: perl -v
    perl: perl -w x.pl a b
    tclsh: tclsh x.tcl
    make: make --version
    cmake: cmake --version
    pip3: pip3 --version
    pip3: pip3 list
    pip3: pip3 show x
    date: date
    date: date +%F
    date: date '+%Y-%m-%d %H:%M'
    date: date "+%s"
    date: date -u +%FT%TZ
    date: date -d yesterday
    date: date -d 2024-01-01 +%s
    date: date -d 20240101 +%F
    date: date -d @0
    date: date --date='1 day ago'
    date: date -Iseconds
    date: date --iso-8601
    date: date -r a
    date: date -R
    find: find . -name '*.ts' -type f
    find: find . -maxdepth 2
    find: find . -name "*.js" -not -path '*/node_modules/*'
    find: find . -type f -size +1M
    find: find . -mtime -7
    find: find . -print0
    find: find . -empty -ls
    find: find . -path ./x -prune -o -print
    find: find src tests -iname '*test*'
    find: find . -regex '.*\.ts'
    find: find . -newer a
    find: find . -printf '%p %s\n'
    find: find . -perm 644
    find: find . \( -name a -o -name b \)
    find: find . '(' -name a ')'
    find: find . ! -name x
    find: find . -type d -empty
    find,wc: find . -name '*.ts' | wc -l
    find,sort: find . -type f | sort
    jq: jq .name package.json
    jq: jq . x.json
    jq: jq -r '.a.b' x.json
    jq: jq -r '.[] | .name' x.json
    jq: jq '.scripts | keys' package.json
    jq: jq -c 'map(select(.x > 1))' a
    jq: jq '.env' a
    jq: jq '.config.env.PATH' a
    jq: jq '{env: .x, y}' a
    jq: jq -n '1+1'
    jq: jq --arg x 1 '.a == $x' b
    jq: jq -s 'length' a
    jq: jq -e .a b
    jq: jq '.environment' a
    jq: jq '."env"' a
    jq: jq 'has("env")' a
    jq,cat: cat a | jq '.[0]'
    jq: jq --raw-output .x a
    jq: jq --tab . a
    jq: jq --indent 4 . a
    jq: jq -S . a
    cat,jq: cat x | jq .a
    wget: wget -qO- https://x
    wget: wget -q -O - https://x
    wget: wget --spider https://x
    wget: wget --version
    wget: wget -O /dev/null https://x
    tar: tar -tzf a.tgz
    tar: tar tf a.tar
    tar: tar -tvf a.tar
    tar: tar --list --file=a.tar
    tar: tar --list -f a.tar
    tar: tar --version
    tar: tar -tf a.tar --wildcards '*.txt'
    env,ls: env ls
    env,ls: env -i ls
    env,ls: env -u HOME ls
    env: env
    nice,ls: nice ls
    nice,ls: nice -n 10 ls
    nice,ls: nice -n10 ls -la
    nice,ls: nice --adjustment=5 ls
    nice,ls: nice -n -5 ls
    nice,ls: nice --adjustment 5 ls
    timeout,ls: timeout 5 ls
    timeout,ls: timeout 5s ls -la
    timeout,ls: timeout 0.5 ls
    timeout,ls: timeout .5 ls
    timeout,ls: timeout -s KILL 5 ls
    timeout,ls: timeout -s 9 5 ls
    timeout,ls: timeout -k 2 5 ls
    timeout,ls: timeout --kill-after=2s 5 ls
    timeout,ls: timeout --preserve-status 5 ls
    timeout,ls: timeout --signal TERM 5 ls
    timeout,python3: timeout 5 python3 a.py
    timeout,git: timeout 30 git status
    nohup,ls: nohup ls
    stdbuf,ls: stdbuf -oL ls
    stdbuf,ls: stdbuf -o0 -eL ls
    stdbuf,ls: stdbuf -o L ls
    stdbuf,ls: stdbuf --output=L ls
    nice,timeout,ls: nice timeout 5 ls
    env,nice,nohup,ls: env nice nohup ls
    /usr/bin/*: ls
    /usr/bin/*: cat a | grep x | wc -l
    /usr/**/ls: ls
    /**: ls
    /usr/bin/l?: ls
    /usr/*/ls: ls
    /usr/**: ls
    /usr/bin/l*: ls -la
    /**/ls: ls
    /usr/bin/gi?: git status
    ls: /usr/bin/../bin/ls
`);
