import { table } from '../machine.ts';

/** Runners of project files, packages and the system. `program: command`. */
export const SYSTEM = table(String.raw`
    // A5: an option beside a look brings in code.
    busctl: busctl list --address=unixexec:path=/usr/bin/touch,argv1=P
    apt-cache: apt-cache policy --config-file=a.conf
    apt-cache: apt-cache policy --config-file a.conf
    apt: apt list --config-file=a.conf
    apt: apt list --option=Dir::Bin::dpkg=x
    apt: apt list -oDir::Bin::dpkg=x
    systemctl: systemctl status -Hx
    systemctl: systemctl -Hx status
    loginctl: loginctl list-sessions -Hx
    dbus-monitor: dbus-monitor --address unixexec:path=/usr/bin/touch,argv1=P
    npm: npm ls --userconfi=x
    npm: npm ls --script-shell=x
    docker: docker ps --config x
    docker: docker ps -H tcp://x
    docker: docker ps --context=x
    kubectl: kubectl get pods --kubeconfig=x
    kubectl: kubectl get -f x.yaml
    pip: pip list --python x
    cargo: cargo locate-project --manifest-path x
    dpkg-architecture: dpkg-architecture -c id
    dpkg-architecture: dpkg-architecture --command id
    dpkg-architecture: dpkg-architecture -cid
    dpkg-buildpackage: dpkg-buildpackage
    dpkg-source: dpkg-source -x x.dsc
    dpkg: dpkg -x evil.deb /
    dpkg: dpkg --extract evil.deb /
    dpkg: dpkg -b x
    dpkg: dpkg --pre-invoke=id -l
    dpkg: dpkg -L x --log=/tmp/x
    dpkg-deb: dpkg-deb -x a /
    dbus-send: dbus-send --system --dest=org.freedesktop.systemd1 /x y
    gdbus: gdbus call --session
    busctl: busctl call a b c d
    systemctl: systemctl start x
    systemctl: systemctl enable ./x.service
    systemctl: systemctl edit x
    systemctl: systemctl link /tmp/x.service
    systemctl: systemctl --user start x
    systemctl: systemctl set-environment A=b
    systemctl: systemctl daemon-reexec
    timedatectl: timedatectl set-time 1
    hostnamectl: hostnamectl set-hostname x
    hostname: hostname evil
    hostname: hostname -F x
    date: date 010100002020
    date: date 0101000020.30
    date: date -us now
    date: date --se now
    apt: apt list -oDir::Bin::Methods=/tmp/x
    apt: apt list -o Dir::Bin=/tmp/x
    apt: apt list -c=x
    apt: apt show --option=x=y z
    apt: apt install x
    apt-cache: apt-cache -o x=y show z
    apt-cache: apt-cache show -cx z
    apt-get: apt-get -o APT::Update::Pre-Invoke::=id update
    apt-get: apt-get update
    apt-get: apt-get changelog x
    npm: npm version patch
    npm: npm help install
    npm: npm i
    npm: npm ci
    npm: npm x y
    npm: npm start
    npm: npm t
    npm: npm view x --script-shell=id
    // A5: files of the project are run, or say what is run.
    npm: npm view git+file:///x
    npm: npm outdated
    npm: npm search x
    pnpm: pnpm ls
    pnpm: pnpm --version
    pytest: pytest --version
    tox: tox --version
    poetry: poetry --version
    cargo: cargo pkgid
    gradle: gradle --version
    lein: lein version
    rebar3: rebar3 version
    jest: jest --version
    turbo: turbo --version
    task: task --list
    npm: npm --prefix x run y
    npm: npm ls --userconfig=x
    npm: npm config set x y
    npm: npm pack
    npm: npm publish
    npm: npm init
    npm: npm explore x
    npm: npm edit x
    npx: npx cowsay
    yarn: yarn --version
    yarn: yarn
    pip: pip install .
    pip3: pip3 install x
    pip3: pip3 --python x list
    pip3: pip3 download x
    pip: pip list --log x
    cargo: cargo tree
    cargo: cargo test
    cargo: cargo +nightly build
    cargo: cargo --config x build
    go: go test -exec id
    go: go build -toolexec id
    go: go vet -vettool=id
    go: go env -w X=y
    go: go tool x
    make: make -n
    make: make all
    make: make -C x
    make: make --eval='$(shell id)'
    make: make -E x
    make: make -I x
    make: make SHELL=x
    make: gmake
    cmake: cmake .
    cmake: cmake -E env id
    cmake: cmake --build .
    ctest: ctest
    cpack: cpack
    ninja: ninja
    mvn: mvn -v
    mvn: mvn install
    mvnDebug: mvnDebug x
    corepack: corepack npm x
    bundle: bundle list
    bundle: bundle exec x
    composer: composer show
    docker: docker run -v /:/x a
    docker: docker compose up
    docker: docker build .
    docker: docker -H tcp://x ps
    docker: docker --config x ps
    docker: docker cp a b
    kubectl: kubectl exec -it x -- id
    kubectl: kubectl apply -f x
    kubectl: kubectl --kubeconfig x get pods
    kubectl: kubectl get pods --kubeconfig x
    kubectl: kubectl run x
    kubectl: kubectl plugin list
    kubectl: kubectl edit x
    kubectl: kubectl cp a b
    kubectl: kubectl debug x
    kubectl: kubectl cluster-info dump --output-directory=/x
    gcloud: gcloud compute ssh x
    gsutil: gsutil cp a b
    bq: bq query x
    deb-systemd-invoke: deb-systemd-invoke start x
    kernel-install: kernel-install add x y
    mount: mount /dev/sda /mnt
    bundler: bundler exec id
    rpmquery: rpmquery --eval '%(id)'
    rpm: rpm --eval '%(id)'
    rpm: rpm -E '%(id)'
    mypy: mypy x.py
    pg_isready: pg_dump x
    pg_isready: dropdb x
`);
