import { table } from '../machine.ts';

/** Pipelines into programs that obey their input, and wrappers with all their options. `programs: command`. */
export const PIPES_AND_WRAPPERS = table(String.raw`
    cat: cat x | sh
    ls,bash: ls | bash
    ls,tee: ls | tee >(id)
    ls,xargs: ls | xargs rm
    find,xargs: find . -name x -print0 | xargs -0 id
    cat,python3: cat x | python3
    cat,node: cat x | node
    cat,perl: cat x | perl
    cat,ruby: cat x | ruby
    cat,php: cat x | php
    cat,lua: cat x | lua
    cat,sqlite3: cat x | sqlite3
    cat,bc,sh: cat x | bc | sh
    cat,gdb: cat x | gdb
    cat,ssh: cat x | ssh h
    cat,at: cat x | at now
    cat,crontab: cat x | crontab
    cat,mail: cat x | mail -s y z
    cat,ed: cat x | ed y
    cat,vim: cat x | vim -
    cat,less: cat x | less '+!id'
    cat,tclsh: cat x | tclsh
    cat,psql: cat x | psql
    cat,mysql: cat x | mysql
    cat,make: cat x | make -f -
    cat,gcc: cat x | gcc -xc - -wrapper id
    cat,tar: cat x | tar xf - --to-command=id
    cat,cpio: cat x | cpio -i --rsh-command=id
    cat,patch: cat x | patch -e
    cat,git: cat x | git -c a=b apply
    cat,openssl: cat x | openssl
    cat,ftp: cat x | ftp
    cat,telnet: cat x | telnet
    cat,dc: cat x | dc
    cat,m4: cat x | m4
    cat,awk: cat x | awk -f -
    cat,sed: cat x | sed -f -
    cat,jq: cat x | jq -n '$ENV'
    cat,parallel: cat x | parallel
    cat,ip: cat x | ip -b -
    cat,curl: cat x | curl -K -
    cat,wget: cat x | wget -i -
    cat,sort: cat x | sort -o y
    python3: python3 -x x.py
    python3: python3 -Ximporttime x.py
    python3: python3 -Wd x.py
    python3: python3 --check-hash-based-pycs x y
    python3: python3 -cimport\ os
    python3: python3 "-c" 1
    python3: python3 '-'c 1
    python3: python3 -\c 1
    node: node '--eval' 1
    node: node --ev\al 1
    node: node --e=1
    node: node --eva 1
    node: node --require=x
    node: node -rx y.js
    node: node --import x y.js
    node: node --max-old-space-size=1 --eval=1
    node: node --experimental-vm-modules --eval 1
    node: node -p -e 1
    node: node -ie 1
    node: node --prof-process
    node: node --disable-wasm-trap-handler x
    node: node --trace-exit -e 1
    node: node --allow-fs-read=* x
    node: node --input-type=module
    node: node --stack-size
    perl: perl -wle 1
    perl: perl -i.bak x
    perl: perl -pe 1
    perl: perl -W -e 1
    perl: perl -Mre=eval x
    perl: perl -Dx x
    perl: perl -a -n x
    perl: perl -l x
    perl: perl /dev/stdin
    perl: perl -
    ruby: ruby /dev/stdin
    ruby: ruby -
    ruby: ruby -a x
    ruby: ruby -p x
    ruby: ruby -i x
    ruby: ruby -Eascii x
    ruby: ruby -Ku x
    lua: lua /dev/stdin
    awk: awk -f x.awk -e 'BEGIN{system("id")}'
    gawk: gawk -f x.awk -i inplace y
    gawk: gawk -E x.awk
    gawk: gawk --exec x.awk
    gawk: gawk -o/tmp/x -f y
    gawk: gawk --load=x -f y
    gawk: gawk -D -f y
    gawk: gawk -p/tmp/x -f y
    mawk: mawk -We id
    mawk: mawk -W exec x
    awk: awk '1;{print > "/tmp/x"}' y
    sed: sed -E 's/a/b/w x' y
    find: find . -name x -o -exec id \;
    find: find . -type f -exec rm {} +
    find: find -L . -execdir id \;
    find: find . -printf x -fprintf y z
    find: find . -ok
    find: find . -delete -name x
    find: find . -newermt x -delete
    bfs: bfs . -exec id \;
    fd: fd -e ts -x rm
    fd: fd . --exec-batch id
    rg: rg x --pre id
    rg: rg --pre=cat --pre-glob '*.x' y
    rg: rg -nz x
    rg: rg -z
    grep,xargs: grep -rl x . | xargs rm
    env: env ls
    env: env A=1
    env: env -S ls
    env: env -vS 'ls -la'
    env: env --ignore-environment id
    env: env -0u X id
    env: env --null id
    env: env --list-signal-handling id
    env: env -a x id
    env: env --argv0 x id
    nice: nice ls
    nice: nice -n 5 ls
    nice: nice -n x id
    nice: nice -n5x id
    nohup: nohup ls
    nohup: nohup sh x.sh
    timeout: timeout 5 ls
    timeout: timeout 5 bash -c id
    timeout: timeout 1d id
    timeout: timeout -p 5 id
    timeout: timeout -f 5 id
    timeout: timeout -fv 5 id
    timeout: timeout --p 5 id
    timeout: timeout -- 5 id
    timeout: timeout inf id
    timeout: timeout 5 -- id
    stdbuf: stdbuf -oL ls
    stdbuf: stdbuf -i 0 id
    stdbuf: stdbuf -oL sh -c id
    stdbuf: stdbuf --error=0 id
    sudo: sudo -n id
    sudo: sudo -l
    sudo: sudo ls
    sudo,ls: sudo ls
    doas,ls: doas ls
    setsid,ls: setsid ls
    ionice,ls: ionice -c3 ls
    chrt,ls: chrt -b 0 ls
    taskset,ls: taskset -c 0 ls
    flock,ls: flock x ls
    time,ls: /usr/bin/time ls
    time,ls: /usr/bin/time -f %e ls
    time,ls: /usr/bin/time -o x ls
    script,ls: script -c ls
    watch,ls: watch ls
    xargs,ls: xargs ls
    strace,ls: strace ls
    unshare,ls: unshare ls
    nsenter,ls: nsenter ls
    chroot,ls: chroot . ls
    prlimit,ls: prlimit ls
    setarch,ls: setarch x86_64 ls
    linux32,ls: linux32 ls
    i386,ls: i386 ls
    setpriv,ls: setpriv ls
    runuser,ls: runuser -u x ls
    su,ls: su -c ls
    sg,ls: sg x ls
    systemd-run,ls: systemd-run ls
    systemd-inhibit,ls: systemd-inhibit ls
    start-stop-daemon,ls: start-stop-daemon -S -x ls
    run-parts: run-parts --test x
    parallel,ls: parallel ls
    dbus-run-session,ls: dbus-run-session ls
    valgrind,ls: valgrind ls
    ltrace,ls: ltrace ls
    perf,ls: perf stat ls
    gdb,ls: gdb --args ls
    expect: expect x.exp
    rlwrap,ls: rlwrap ls
    ssh-agent,ls: ssh-agent ls
    uclampset,ls: uclampset -m 1 ls
    choom,ls: choom -n 1 ls
    runcon,ls: runcon x ls
    busybox,ls: busybox ls
    busybox,sh: busybox ash
    toybox: toybox sh
    catchsegv,ls: catchsegv ls
    heaptrack,ls: heaptrack ls
    fakeroot,ls: fakeroot ls
    torsocks,ls: torsocks ls
    proxychains4,ls: proxychains4 ls
    /usr/lib64/ld-linux-x86-64.so.2: /usr/lib64/ld-linux-x86-64.so.2 ls
    /lib/x86_64-linux-gnu/ld-linux-x86-64.so.2: /lib/x86_64-linux-gnu/ld-linux-x86-64.so.2 /usr/bin/id
    /usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2: /lib64/ld-linux-x86-64.so.2 /usr/bin/id
    ldd: ldd x
    ld.so: ld.so --verify x
    tar: tar cvf - . --to-command id
    tar: tar --checkpoint-action=exec=id --checkpoint=1 -cf /dev/null x
    tar: tar -c --checkpoint=1 '--checkpoint-action=exec=sh x.sh' -f a b
    tar: tar xvzfI a id
    tar: tar -x -I 'sh -c id' -f a
    tar: tar -xf a --use-compress-program 'sh -c id'
    tar: tar -tf a --use-compress-program=id
    tar: tar tIf id a
    tar: tar cf a --rsh-command=id h:b
    tar: tar -cf h:/b --rsh-command=./x a
    tar: tar --xz -I id -cf a b
    tar: tar -cf a -T /etc/passwd
    tar: tar -cf a -FT id b
    tar: tar -cf a --index-file=/x b
    sort: sort --compress-program=sh -S 1 x
    sort: sort -S 1k --compress-prog=sh x
    sort: sort a b -oc
    sort: sort -k 1 -o x y
    sort: sort -zo x y
    sort: sort -t o -o x y
    sort: sort -to -ox y
    split: split --filter=sh x
    split: split -n 2 --filter 'sh -c id' x
    split: split -a 3 --filt=id x
    man: man '-Pid' x
    man: man --pager 'sh -c id' x
    man: man -aP id x
    man: man --html=id x
    man: man -X x
    man: man -t x
    man: man -Z -Hid x
    zip: zip -T -TT 'sh -c id' a b
    zip: zip a b -TT id -T
    rg: rg --pre 'sh' x
    rg: rg x . --pre sh
    rg: rg --hostname-bin sh x
    gcc: gcc -x c /dev/null -wrapper sh,-c,id
    gcc: gcc -fplugin=./x.so -c y.c
    gcc: gcc -B. -c y.c
    gcc: gcc -Wl,--wrap y.c
    gcc: gcc -Xlinker x y.c
    strace: strace -e x ls
    docker: docker run --rm x
    docker: docker exec -it x sh
    docker: docker ps --host=tcp://x
    docker: docker inspect -H x y
    kubectl: kubectl get pods --kubeconfig=/x
    kubectl: kubectl exec x -- sh
    kubectl: kubectl port-forward x 1
    npm: npm exec -- x
    npm: npm --script-shell=x run y
    npm: npm ls --prefix /x
    npm: npm rebuild
    npm: npm run-script x
    npm: npm stop
    npm: npm restart
    npm: npm link
    npm: npm audit fix
    npm: npm set x=y
    npm: npm create x
    npm: npm -v run x
    npm: npm --version exec x
    pip3: pip3 install -r x
    pip3: pip3 wheel .
    pip3: pip3 config edit
    pip3: pip3 list --python x
    make: make -j4
    make: make clean
    make: make -p
    make: make -q
    make: make --version -f x
    vim: vim -es -c ':!id' x
    vim: vim -u x
    vim: vim +':!id'
    vim: vim --cmd '!id'
    vim: vim -S x
    vim: vim -s x
    vim: vim x
    nano: nano -s id x
    emacs: emacs -Q x
    less: less -X '+!id' x
    less: less +G x
    more: more +/x y
    psql: psql -tAc 'select 1'
    psql: psql --version -c x
    sqlite3: sqlite3 x.db 'select 1'
    sqlite3: sqlite3 x.db .dump
    mysql: mysql --pager=id
    gdb: gdb -nx -batch -ex '!id'
    gdb: gdb -batch -x f
    gdb: gdb --batch --command=f
    gdb: gdb -ix f
    gdb: gdb --version -ex 'shell id'
    node: node --version -e 1
    node: node -v -e 1
    python3: python3 --version -c 1
    python3: python3 -V -c 1
    perl: perl -v -e 1
    bash: bash -n x.sh
    bash: bash -x x.sh
    bash: bash --rcfile x
    bash: bash --init-file x
    bash: bash -i
    bash: bash -s
    bash: bash -O x
    dash: dash x
    sh: sh x
    sh: sh --help
`);
