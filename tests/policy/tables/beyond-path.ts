import { table } from '../machine.ts';

/**
 * Calls that an entry for the program alone does not allow: their profiles say that they use the network or change the system, or do
 * not list an option. An entry for exactly the call does. `program: command`.
 */
export const BEYOND_PATH = table(String.raw`
    tar: tar xzf a.tgz -C out
    tar: tar czf a.tgz --exclude=node_modules src
    git: git fetch origin
    git: git submodule status
    kubectl: kubectl get pods -n x
    curl: curl -sS https://example.org/a
    curl: curl -I https://example.org
    curl: curl -H 'a: b' -X POST -d '{"a":1}' https://example.org
    curl: curl -o - https://example.org
    npm: npm version
    pip: pip list --outdated
    curl: curl -sS https://example.com
    curl: curl https://example.com
    curl: curl -I https://example.com
    curl: curl -s -o /dev/null -w '%{http_code}' https://example.com
    curl: curl -X POST -H 'Content-Type: application/json' -d '{"a":"b@c"}' https://example.com
    curl: curl -fsSL https://example.com
    curl: curl --silent --show-error --fail https://example.com
    curl: curl -u user:pass https://example.com
    curl: curl -k https://example.com
    curl: curl --max-time 10 https://example.com
    curl: curl -m 10 --retry 3 https://example.com
    curl: curl -v https://example.com
    curl: curl --head https://example.com
    curl: curl -A 'x' -e 'y' https://example.com
    curl: curl --data 'a=b' https://example.com
    curl: curl --data-urlencode 'q=a b' https://example.com
    curl: curl -G -d a=b https://example.com
    curl: curl --compressed https://example.com
    curl: curl -H 'Accept: text/plain' https://example.com
    curl: curl -d 'mail=a@b.c' https://example.com
    curl: curl -F 'a=b' https://example.com
    curl: curl --version
    curl: curl --connect-timeout 5 https://x
    curl: curl --cookie a=b https://x
    curl: curl --location https://x
    curl: curl --request GET https://x
    curl: curl --header 'a: b' https://x
    curl: curl --user a:b https://x
    tar: tar xzf a.tgz
    tar: tar -xzf a.tgz -C out
    tar: tar xf a.tar --strip-components=1
    tar: tar -xvf a.tar sub/file
    tar: tar czf a.tgz src
    tar: tar -czvf a.tgz --exclude='*.o' --exclude=node_modules .
    tar: tar -cJf a.txz b
    tar: tar -cf - src
    tar: tar cf /dev/null x
    tar: tar xjf a.tbz2
    tar: tar -xaf a
    tar: tar --extract --file=a.tar --verbose
    tar: tar -cf a.tar --totals b
    tar: tar --create --gzip --file=a.tgz b
    chmod: chmod -R u+rwX,go-w a
    unzip: unzip -o a.zip -d out
    kubectl: kubectl get pods
    kubectl: kubectl get pods -o wide
    kubectl: kubectl get pods -n x -o json
    kubectl: kubectl describe pod x
    kubectl: kubectl logs x -c y
    kubectl: kubectl version
    cargo: cargo --version
    curl: curl --proto '=https' --tlsv1.2 -sSf https://x
    git: git diff --no-index a b
    git: git diff -O order
    git: git remote show
    git: git checkout main
    git: git checkout -- a.ts
    git: git restore a.ts
    git: git pull --rebase
    git: git push origin main
    git: git push -u origin HEAD
    git: git fetch --all --prune
    git: git merge main
    git: git rebase main
    git: git stash
    git: git stash pop
    git: git mv a b
    git: git mv a sub/b
    git: git update-ref refs/heads/x HEAD
    git: git remote add x ../y
    git: git init
    git: git clone https://example.com/x.git
    git: git clean -n
    git: git clean -nd
    git: git clean --dry-run
    git: git ls-remote origin
    git: git cherry-pick abc
    git: git revert --no-edit HEAD
    git: git apply --check x.patch
`);
