import { table } from '../machine.ts';

/** Calls with which a program without a profile starts a shell or a command, listens, or loads code. `program: command`. */
export const SNIPPETS = table(String.raw`
    apt: apt update -o APT::Update::Pre-Invoke::=/bin/sh
    apt: apt install x -o Dpkg::Pre-Invoke::="touch p"
    apt-get: apt-get update -o APT::Update::Post-Invoke::=id
    apt-get: apt-get -o Dpkg::Options::=--pre-invoke=sh install x
    apt-cache: apt-cache -o Dir::Bin::apt-key=/tmp/k show x
    aptitude: aptitude --with-recommends -o APT::Update::Pre-Invoke::='sh -c id' update
    bundle: bundle exec irb
    bundle: bundle console
    gem: gem open -e "/bin/sh -c /bin/sh" rdoc
    gem: gem install --config-file /tmp/g x
    cpan: cpan -e system
    composer: composer --working-dir=. run-script x
    composer: composer exec x
    terraform: terraform console
    terraform: terraform plan -var-file=x -plugin-dir=p
    kubectl-like: kubectl-like plugin list
    kubeadm: kubeadm init --config x
    zypper: zypper --plus-content x exec
    zypper: zypper shell
    dnf: dnf --setopt=pluginpath=/tmp/p list
    dnf: dnf shell
    yum: yum --disableplugin= --config=/tmp/y.conf list
    yum: yum -c /tmp/y.conf --enableplugin=y list
    pkg: pkg -o REPOS_DIR=/tmp shell
    podman: podman run --rm -it alpine
    podman: podman exec x id
    nerdctl: nerdctl run alpine
    ctr: ctr run --rm x y
    mosh: mosh --server='/bin/sh -c id' host
    mosh: mosh --ssh="sh -c id" host
    sshfs: sshfs -o ssh_command=/tmp/x h:/ m
    sshfs: sshfs host:/ m -o sftp_server=/bin/sh
    sshuttle: sshuttle -r h --ssh-cmd 'touch p' 0/0
    rclone: rclone --sftp-ssh "sh -c id" ls x:
    rclone: rclone serve http x
    restic-like: restic-like --password-command 'sh -c id' ls
    borg: borg --rsh 'sh -c id' list h:r
    duplicity: duplicity --ssh-options="-oProxyCommand=id" x y
    rdiff-backup: rdiff-backup --remote-schema 'sh -c id %s' a b::c
    unison: unison -sshcmd /tmp/x a b
    yt-dlp: yt-dlp --exec 'touch p' https://example.com
    yt-dlp: yt-dlp --exec-before-download id https://example.com
    youtube-dl: youtube-dl --external-downloader /tmp/x https://example.com/run.sh
    gallery-dl: gallery-dl --exec id https://example.com
    mpv: mpv --script=x.lua a.mp4
    mpv: mpv --input-conf=x a.mp4
    vlc: vlc --lua-config=x --extraintf luaintf a
    feh: feh --action ';id' .
    sxiv-like: sxiv-like --exec id .
    convert-like: convert-like '|id' a.png
    ffmpeg-like: ffmpeg-like -filter_script x -i a
    gst-launch: gst-launch filesrc location=/bin/sh ! fdsink
    sox: sox '|id' -t wav a.wav
    play: play '|sh -c id'
    mkfifo-serve: mkfifo-serve -l 4444 -e /bin/sh
    connectd: connectd --listen 0.0.0.0:4444 --exec bash
    proxytunnel: proxytunnel -e sh -p h:1
    websocketd: websocketd --port=8080 bash
    ttyd: ttyd -p 8080 bash
    gotty: gotty -w zsh
    shellinaboxd: shellinaboxd -s '/:u:g:/:/bin/sh'
    wetty: wetty --command /bin/sh
    inetd-like: inetd-like 4444 /bin/sh -i
    tcpd: tcpd /bin/sh
    entrstat: entrstat -r /bin/sh
    nodemon: nodemon --exec 'sh -c id'
    nodemon: nodemon -x id
    watchexec: watchexec -e js -- sh -c id
    watchman-make: watchman-make -p '*.c' --run id
    fswatch-run: fswatch-run . 'touch p'
    chokidar: chokidar '**/*.js' -c 'touch p'
    concurrently: concurrently "touch p" "id"
    cross-env: cross-env A=1 sh -c id
    dotenv: dotenv -- bash
    foreman: foreman start
    overmind: overmind connect x --shell
    supervisord: supervisord -c /tmp/s.conf
    supervisorctl: supervisorctl -c x.conf start all
    pm2: pm2 start /tmp/x.sh
    forever: forever start -c sh x
    runit-like: runit-like -P /bin/sh
    monit: monit -c x.rc -I
    collectd: collectd -C /tmp/c.conf
    rsyslogd: rsyslogd -f /tmp/r.conf -i p
    syslog-ng: syslog-ng --cfgfile=/tmp/s.conf -F
    dnsmasq: dnsmasq --conf-script='sh -c id >&2'
    dnsmasq: dnsmasq --dhcp-script=/tmp/x
    dhclient: dhclient -sf /tmp/x.sh eth0
    wpa_cli: wpa_cli -a /tmp/action.sh
    hostapd_cli: hostapd_cli -a/bin/sh
    pppd: pppd pty 'sh -c id'
    chat-script: chat-script -e '!id'
    needrestart: needrestart -c /tmp/n.conf
    wg-quick: wg-quick up ./x.conf
    ifup: ifup --interfaces=/tmp/i.conf eth0
    ifup: ifup -i x eth0 -o pre-up=id
    nmcli-like: nmcli-like connection edit --editor sh
    lvmlike: lvmlike --config 'global{x="|id"}'
    mke2like: mke2like -E discard,exec=/bin/sh
    genisoimage: genisoimage -use-fileversion -o x -prep-command 'id' .
    xorriso: xorriso -external_filter f:/bin/sh x
    xorriso: xorriso -launch_frontend sh
    mtr: mtr --mtr-packet-program=/tmp/x h
    mtools-like: mtools-like --exec=/bin/sh
    cupsfilter: cupsfilter -e -i application/x --filter=/bin/sh x
    lp: lp -d 'exec:/bin/sh' x
    lpadmin: lpadmin -p x -v 'pipe:/bin/sh' -E
    a2ps: a2ps --delegate=x --printer='|sh' f
    mpage: mpage -P'|sh' f
    highlight: highlight --plug-in=/tmp/x.lua f
    highlight: highlight --config-file=x f
    source-highlight: source-highlight --lang-def=x --program=/bin/sh
    doxygen: doxygen /tmp/x.conf
    sphinx-build: sphinx-build -c /tmp/conf -D extensions=x . o
    asciidoctor: asciidoctor -r ./x.rb a.adoc --require-plugin
    asciidoc: asciidoc --filter=x -a data-uri a.txt run.sh
    jekyll: jekyll serve
    jekyll: jekyll build --plugins x
    hugo: hugo server --config x.toml
    mkdocs: mkdocs serve
    pelican: pelican -s /tmp/pelicanconf.py --listen
    antlr-like: antlr-like -lib x.jar
    protoc: protoc --plugin=protoc-gen-x=/tmp/x --x_out=. a.proto
    swig: swig -python -external-runtime x -Dsystem=sh
    flatc: flatc --plugin /tmp/x.so a.fbs
    thrift: thrift --gen-plugin x a
    pkg-config: pkg-config --define-variable=x='$(id)' y
    ctest-like: ctest-like --build-and-test a b --test-command id
    cppcheck: cppcheck --addon=/tmp/x.py a.c
    clang-tidy: clang-tidy --load=/tmp/x.so a.c
    clangd: clangd --query-driver=/tmp/x
    include-what: include-what -Xiwyu --run=sh
    bear: bear -- make
    scan-build: scan-build --use-cc=/tmp/x make
    intercept-build: intercept-build --cdb x sh -c id
    gcovr: gcovr --gcov-executable 'sh -c id' .
    lcov: lcov --gcov-tool /tmp/bin/x -c -d .
    pylint: pylint --load-plugins=x a.py
    pylint: pylint --init-hook='import os; os.system("id")' a.py
    flake8: flake8 --config=x.cfg a.py
    mypy: mypy --config-file /tmp/m.ini a.py
    pyright: pyright --pythonpath /tmp/bin/python .
    isort: isort --settings-file x.cfg --command id .
    coverage: coverage run x.py
    ansible-lint: ansible-lint -c /tmp/x -R -r ./rules/exec
    eslint-like: eslint-like --rulesdir x --parser ./x.js --plugin y
    jest-like: jest-like --runner=/tmp/x.js
    mocha-like: mocha-like --require x.js --reporter sh.js run
    webpack-like: webpack-like --config /tmp/w.js
    rollup-like: rollup-like --plugin '{buildStart(){require("child_process").execSync("id")}}'
    babel-like: babel-like --plugins /tmp/x a.js
    terser-like: terser-like --config-file x a.js
    sass-like: sass-like --require /tmp/x.rb a
    psql-like: psql-like -c '\! id'
    mycli-like: mycli-like -e 'system id'
    redis-like: redis-like --eval /tmp/x.lua
    influx: influx -execute 'x' -format sh -pretty run
    sqlitebrowser: sqlitebrowser -x '.shell id' a.db
    clickhouse: clickhouse local --query "select * from executable('id', TSV, 'x String')"
    trino: trino --execute x --pager 'sh -c id'
    ldapsearch: ldapsearch -H 'ldapi://x' -y '|id'
    kinit-like: kinit-like -X X509_user_identity=PKCS11:/tmp/x.so u
    pkcs11-tool: pkcs11-tool --module ./x.so -L
    p11tool: p11tool --provider=./x.so --list-all
    opensc-like: opensc-like --conf=x
    certtool: certtool --load-pubkey x --p11-lib=./p.so
    step-cli: step-cli ssh proxycommand u h 22
    vault: vault agent -config=x
    age-plugin: age-plugin -j yubikey --exec id
    pass-like: pass-like edit x
    sops: sops exec-env x.yaml 'id'
    sops: sops exec-file x.yaml 'cat {}'
    direnv-like: direnv-like exec . id
    chamber: chamber exec x -- id
    aws-vault: aws-vault exec p -- id
    doppler: doppler run -- id
    op: op run -- id
    infisical: infisical run --command 'id'
    kubectx: kubectx --exec=sh
    stern: stern x --template='{{exec "id"}}'
    helm: helm plugin install /tmp/x
    helm: helm template . --post-renderer /tmp/x
    kustomize: kustomize build --enable-alpha-plugins --enable-exec .
    skaffold: skaffold dev --trigger=x
    packer: packer build x.json -on-error=run-cleanup-provisioner --exec
    vagrant-like: vagrant-like ssh -c id
    fly: fly hijack sh
    heroku: heroku run bash
    act: act --container-options x -b push --env-file exec
    tftp-like: tftp-like -c exec
    mc-like: mc-like --execute sh
    weechat: weechat -r '/exec id'
    irssi: irssi --config=/tmp/i --connect h
    newsboat: newsboat -x reload --url-file='exec:id'
    msmtp: msmtp --passwordeval='id' x
    mbsync: mbsync -c ./x.rc -a
    offlineimap: offlineimap -c x.conf
    isync-like: isync-like --tunnel 'sh -c id' a
    notmuch: notmuch --config=/tmp/n new
    w3mlike: w3mlike -o ext_browser='sh -c id' x
    tmux-like: tmux-like -c /bin/sh
    dvtm-like: dvtm-like 'sh -c id'
    rxvt: rxvt -e /bin/sh
    alacritty: alacritty -e sh
    kitty: kitty sh -c id
    foot: foot bash
    yad: yad --button='x:sh -c id'
    zenity-like: zenity-like --forms-cmd=id
    conky: conky -t '$(exec id)'
    polybar: polybar --config=x.ini y
    i3-msg: i3-msg exec id
    swaymsg: swaymsg exec id
    bspc: bspc rule -a x --exec id
    xbindkeys: xbindkeys -f ./.xrc -n
    sxhkd: sxhkd -c x.rc
    wmctrl-like: wmctrl-like -x 'touch p'
    fontforge: fontforge -lang=py -script x
    inkscape: inkscape --actions='run-script:x' a.svg
    blender: blender -b --python x.py
    openscad-like: openscad-like --script x
    libreoffice: libreoffice --headless 'macro:///Standard.M.x'
    soffice: soffice --convert-to x --infilter=run a --script-provider y
    plymouth: plymouth ask-for-password --prompt=x --command='/bin/sh'
    cryptsetup-like: cryptsetup-like --key-script=/bin/sh open x y
    loginctl-like: loginctl-like attach x
    busctl: busctl call x /y z Exec s 'id'
    busctl: busctl --address=unixexec:path=/bin/sh,argv1=-c,argv2=id
    varlinkctl: varlinkctl call exec:/bin/sh x
    resolvectl-like: resolvectl-like --pager=sh query x
    tbl-like: tbl-like '.sy id' --macro-package sh
    opam: opam exec -- id
    ghcup: ghcup run -- sh
    sdkman-like: sdkman-like env exec sh
    spack: spack load --sh x
    module-tool: module-tool load /tmp/x.so
`);
