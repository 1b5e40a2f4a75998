import { table } from '../machine.ts';

/** What git does beyond its name. `program: command`. */
export const GIT = table(String.raw`
    git: git -C /tmp/evil status
    git: git -C ../evil status
    git: git -C sub/../../evil status
    git: git -C ~x status
    git: git -Csub -c x=y status
    git: git clean -fdx
    // A1: git accepts every unambiguous beginning of an option.
    git: git rebase --ex='touch P' HEAD~1
    git: git rebase --exe=id HEAD~1
    git: git rebase -s evil HEAD~1
    git: git push --ex=id
    git: git clone --te=evil . d
    git: git clone --conf=core.fsmonitor=id . d
    git: git clone --c=a.b=c . d
    git: git fetch --upl=id
    git: git log --o=x
    git: git diff --te
    git: git grep --op=id x
    git: git tag --ver x
    git: git merge --strat=evil x
    git: git pull --strategy=evil
    git: git push --recu=check
    git: git status --unknown-option
    git: git commit -m x --no-no-verify
    git: git cat-file --fil HEAD:x
    git: git blame --contents /etc/passwd x
    git: git checkout-index --prefix=/usr/bin/ -a
    git: git merge-file a b c
    git: git fast-export --export-marks=/x HEAD
    git: git commit
    git: git commit --amend
    git: git commit -e -m x
    git: git commit -m x --edit
    git: git add -e
    git: git add -p
    git: git add -i
    git: git add --edit
    git: git add --patch
    git: git tag -e x
    git: git rebase --continue
    git: git rebase --skip
    git: git worktree add e/.git gd
    git: git -C link status
    git: git -C . -C ./link/. apply x
    git: git mv a x:/../.git/hooks/post-commit
    git: git worktree add x:/../../cfg/git gd
    git: git worktree add -- -l/../x gd
    git: git bundle create x HEAD
    git: git format-patch -1
    git: git format-patch HEAD~2 --numbered
    git: git remote add -f n ../evil -m https://e.com/x
    git: git remote add -f x https://example.org/y
    git: git mv a .git/hooks/post-commit
    git: git symbolic-ref ../../home/.profile refs/heads/x
    git: git symbolic-ref HEAD 'refs/heads/a;touch\${IFS}x'
    git: git symbolic-ref refs/../hooks/post-commit refs/heads/x
    git: git symbolic-ref -m x hooks/post-commit refs/heads/x
    git: git update-ref hooks/pre-push HEAD
    git: git update-ref --stdin
    git: git log -p --submodule=diff
    git: git log -p --submodule
    git: git show --submodule=log HEAD
    git: git diff --submod=diff a b
    git: git mv -f a .git/config
    git: git mv a sub/.git
    git: git mv a ../b
    git: git mv a link/post-commit
    git: git mv -- a ./link/x
    git: git worktree add link/x
    git: git init link
    git: git remote add -f x https://127.0.0.1:1/
    git: git remote add --fetch x ./y
    git: git remote add x y -f
    git: git rebase --exec id HEAD
    git: git rebase -ix id HEAD
    git: git rebase --inter HEAD
    git: git branch --edit-description
    git: git notes edit
    git: git config --edit
    git: git config core.fsmonitor ./x
    git: git config set core.fsmonitor ./x
    git: git config --file x a.b c
    git: git config --unset x.y
    // A4: files outside the folder, where settings of git and others are.
    git: git worktree add /home/u/.config/git gc
    git: git worktree add ../x gc
    git: git init --bare /tmp/x
    git: git clone https://example.org/x ~/.config/git
    git: git clone https://example.org/x ../y
    git: git bundle create ~/.bashrc HEAD
    // A4: a repository on this machine runs its own hooks and settings.
    git: git push ./z HEAD:refs/heads/x
    git: git push z main
    git: git push /tmp/z main
    git: git push file:///tmp/z main
    git: git push -o x ./z main
    git: git push --push-option x ./z main
    git: git push ssh://localhost/tmp/z main
    git: git push me@127.0.0.1:z main
    git: git push me@0:z main
    git: git push ssh://2130706433/z main
    git: git push ssh://0x7f.1/z main
    git: git push ssh://0177.0.0.1/z main
    git: git push ssh://x@y@localhost/z main
    git: git push me@a.localhost:z main
    git: git push ssh://localhost./z main
    git: git push 'ssh://[::1]/z' main
    git: git fetch ./z
    git: git fetch --depth 1 z
    git: git fetch --multiple origin ./z
    git: git pull . main
    git: git pull z
    git: git clone . d
    git: git clone -b main z d
    git: git clone user@host/x:y d
    git: git ls-remote .
    git: git ls-remote -b ./z
    git: git ls-remote --sort x z
    git: git request-pull HEAD~1 ./z
    git: git archive --remote=z HEAD
    git: git remote add x ext::id
    git: git remote add x 'ext::sh -c id'
    git: git fetch ext::id
    git: git fetch 'ssh://-oProxyCommand=id/x'
    git: git fetch -- 'ext::id'
    git: git pull --upload-pack=id
    git: git pull ext::id
    git: git push ext::id
    git: git push --receive-p=id origin
    git: git log --output=/tmp/x
    git: git log --outp=x
    git: git diff --outpu x
    git: git show --output=x
    git: git stash show --ext-diff
    git: git log -p --ext-d
    git: git log --textconv
    git: git grep --open-files-in-pager id x
    git: git grep -nOid x
    git: git grep -O./x y
    git: git grep --open x
    git: git difftool
    git: git difftool -y -x id
    git: git mergetool -t x
    git: git --paginate diff
    git: git --exec-path=. x
    git: git --exec-path . log
    git: git --git-dir=/tmp/x status
    git: git --git-dir /tmp/x status
    git: git --work-tree=/ checkout .
    git: git --namespace=x log
    git: git --super-prefix=x log
    git: git --attr-source=x log
    git: git --config-env=alias.x=Y x
    git: git -c core.fsmonitor=id status
    git: git -c core.sshCommand=id fetch
    git: git -c diff.external=id diff
    git: git -ccore.editor=id commit
    git: git --no-pager -c a.b=c log
    git: git lg
    git: git help log
    git: git log --help
    git: git --help log
    git: git instaweb
    git: git web--browse x
    git: git svn x
    git: git p4 x
    git: git gui
    git: git citool
    git: git bugreport
    git: git maintenance run
    git: git hook run pre-commit
    git: git upload-pack x
    git: git receive-pack x
    git: git shell -c id
    git: git daemon --x
    git: git http-backend
    git: git credential-store get
    git: git bisect run ./x
    git: git submodule foreach 'id'
    git: git submodule update --init
    git: git submodule add x
    git: git filter-branch --tree-filter id
    git: git archive --output=x HEAD
    git: git archive -ox HEAD
    git: git archive --format=tar --remote=ext::id HEAD
    git: git archive --exec=id --remote=x HEAD
    git: git clone -u id x y
    git: git clone --upl=id x y
    git: git clone --template=/tmp/x y
    git: git clone -c core.fsmonitor=id y
    git: git clone --config core.fsmonitor=id y
    git: git clone ext::id
    git: git clone 'EXT::id'
    git: git clone fd::7
    git: git clone --recurse-submodules x
    git: git clone --recursive x
    git: git init --templ x
    git: git show --show-signature
    git: git verify-commit HEAD
    git: git commit -S -m x
    git: git commit -Sx -m x
    git: git commit --gpg-sign -m x
    git: git tag -s x -m y
    git: git log --show-signature
    git: git imap-send
    git: git cat-file --textconv HEAD:x
    git: git cat-file --filters HEAD:x
    git: git format-patch -o /tmp HEAD
    git: git format-patch --output-directory=/tmp HEAD
    git: git am --interactive x
    git: git apply --unsafe-paths x
    git: git read-tree --index-output=/x HEAD
    git: git var GIT_EDITOR
    scalar: scalar run all
    scalar: scalar -c core.fsmonitor=id list
    git-shell: git-shell -c id
    git-upload-pack: git-upload-pack .
    git: git status -h --help
    git: git stash push -p --exec=x
    git: git push --exec id origin
    git: git push --force --receive-pack id origin
    git: git pull --rebase=interactive
    git: git rebase --interactive
    git: git merge --tool=x
    git: git diff --ext-diff HEAD
    git: git diff-tree --ext-diff -p HEAD
    git: git blame --textconv x
    git: git config alias.x y
    git: git config --blob=x --list
    git: git archive --remote=h:x HEAD --exec id
    git: git remote add -f x ext::y
    git: git remote set-url origin ext::id
    git: git ls-remote --exec=id x
    git: git fetch --upload-pack id origin
    git: git fetch -u ext::id
    git: git fetch origin --recurse-submodules --upload-pa=id
    git: git submodule update
    git: git submodule sync
    git: git submodule foreach --recursive id
    git: git bisect visualize
    git: git bisect start x -- y | sh
    git: git -c x
    git: git -c
    git: git --exec-path=/x --version
    git: git --html-path x
    git: git -h x
    git: git difftool --tool-help
    git: git commit -C HEAD -e
    git: git commit --fixup=amend:x -e
    git: git add -Ap
    git: git add --intera
    git: git tag -sm x y
    git: git tag -u k -m x y
    git: git reset --hard | sh
    git: git cat-file --batch --textconv
    git: git show HEAD:x | sh
    git: git log | less '+!id'
    git: git apply --directory=/ --unsafe-paths x
    git: git init --separate-git-dir=/x --template=y
    git: git rev-parse --parseopt | sh
    git: git replace --edit x
    git: git replace -e x
    git: git rebase --edit-todo
    git: git rebase -i --autosquash x
    git: git am -i x
    git: git stripspace | bash
    git: git grep -l x | xargs id
    git: git column --mode=x | sh
    git: git checkout -p | sh
    git: git sparse-checkout set x | sh
    git: git merge-tree --exec=x
    git: git --list-cmds=alias x
    git: git -P -c a.b=c status
    git: git --no-pager --paginate log
    git: git -Cx status
    git: git -C '' -c x=y log
    git: git -C . -C /tmp/evil status
    git: git -C .git status
    git: git -C sub -C ../.. status
`);
