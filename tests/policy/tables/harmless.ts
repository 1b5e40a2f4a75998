import { table } from '../machine.ts';

/** Ordinary calls of programs without a profile. Each entry names only the program. */
export const HARMLESS = table(String.raw`
    shellcheck: shellcheck build.sh
    hadolint: hadolint Dockerfile
    yamllint: yamllint -f parsable .github/workflows
    markdownlint: markdownlint README.md docs
    vale: vale --minAlertLevel=error docs
    codespell: codespell src docs
    typos: typos --format brief
    tokei: tokei src
    cloc: cloc --by-file src
    scc: scc --no-cocomo .
    hyperlink: hyperlink public
    lychee: lychee --offline docs/index.md
    ruff: ruff check src tests
    ruff: ruff format --check .
    black: black --diff src/app.py
    mypy: mypy --strict src
    bandit: bandit -r src -f json
    vulture: vulture src --min-confidence 80
    pydocstyle: pydocstyle src
    radon: radon cc -s src
    djlint: djlint templates --check
    stylelint: stylelint 'src/**/*.css'
    htmlhint: htmlhint index.html
    svgo: svgo logo.svg -o logo.min.svg
    optipng: optipng -o2 logo.png
    pngquant: pngquant --quality 60-80 logo.png
    jpegoptim: jpegoptim --max=80 photo.jpg
    cwebp: cwebp -q 80 a.png -o a.webp
    exiv2: exiv2 -pa photo.jpg
    mediainfo: mediainfo clip.mp4
    pdfinfo: pdfinfo report.pdf
    pdftotext: pdftotext -layout report.pdf report.txt
    qpdf: qpdf --check report.pdf
    pdfunite: pdfunite a.pdf b.pdf c.pdf
    dot: dot -Tsvg graph.dot -o graph.svg
    plantuml: plantuml -tsvg diagram.puml
    mmdc: mmdc -i chart.mmd -o chart.svg
    xmlstarlet: xmlstarlet sel -t -v /project/version pom.xml
    csvcut: csvcut -c name,age people.csv
    csvstat: csvstat people.csv
    xsv: xsv stats people.csv
    mlr: mlr --icsv --ojson head people.csv
    dasel: dasel -f values.yaml image.tag
    gron: gron data.json
    jo: jo name=a age=3
    toml-sort: toml-sort pyproject.toml
    taplo: taplo fmt --check Cargo.toml
    dprint: dprint check
    shfmt: shfmt -d build.sh
    buf: buf lint
    protolint: protolint lint api
    spectral: spectral lint openapi.yaml
    ajv: ajv validate -s schema.json -d data.json
    kubeval: kubeval deploy.yaml
    kubeconform: kubeconform -summary deploy.yaml
    helm: helm lint charts/app
    helm: helm template charts/app
    terraform: terraform fmt -check
    terraform: terraform validate
    tflint: tflint --recursive
    trivy: trivy fs --severity HIGH .
    syft: syft packages dir:.
    grype: grype dir:.
    gitleaks: gitleaks detect --no-git
    b3sum: b3sum dist/app.tar
    cksfv: cksfv file.sfv
    rhash: rhash --sha256 dist/app.tar
    zstd: zstd -19 data.bin
    brotli: brotli -q 9 app.js
    lz4: lz4 -d data.lz4 data
    pigz: pigz -k data.txt
    unrar: unrar l archive.rar
    lsar: lsar archive.zip
    dust: dust -d 2 src
    duf: duf --only local
    procs: procs node
    pstree: pstree -p 1
    iostat: iostat -x 1 3
    mpstat: mpstat 1 2
    vnstat: vnstat -d
    lsusb: lsusb -t
    dig: dig +short example.org
    host: host example.org
    whois: whois example.org
    ping: ping -c 3 example.org
    traceroute: traceroute example.org
    hexyl: hexyl -n 64 a.bin
    eza: eza -la src
    lsd: lsd --tree src
    sd: sd before after README.md
    choose: choose 0 2
    difft: difft a.ts b.ts
    delta-stat: delta-stat a b
    colordiff: colordiff -u a.txt b.txt
    wdiff: wdiff a.txt b.txt
    dwdiff: dwdiff a.txt b.txt
    units: units -t '3 miles' km
    cal: cal 11 2026
    ncal: ncal -w
    figlet: figlet hello
    banner: banner hello
    qrencode: qrencode -o code.png hello
    mkcert: mkcert -CAROOT
    sqlformat: sqlformat --reindent query.sql
    pgformatter: pgformatter query.sql
    sqlfluff: sqlfluff lint models
    dbmate: dbmate status
    flyway: flyway info
    alembic: alembic history
    jenv-list: jenv-list versions
    hostnamectl: hostnamectl status
    localectl: localectl list-locales
    lsmod: lsmod
    sensors: sensors
    fc-list: fc-list :lang=de
    locate: locate -i notes.txt
`);
