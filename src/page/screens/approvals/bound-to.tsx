import type { ApprovalInfo } from '../../../wire/approval.ts';
import { Facts } from '../../components/facts.tsx';
import { CodeText } from '../../components/hostile-text.tsx';
import { folded, SHOWN_VARIABLES } from './limits.ts';

/** The facts that the answer is bound to. */
export function BoundTo({ approval, isWhole }: { readonly approval: ApprovalInfo; readonly isWhole: boolean }) {
  const { cwd, env, pty, programs, files, pathPrepend = [] } = approval.binding;
  const variables = Object.entries(env).slice(0, isWhole ? undefined : SHOWN_VARIABLES);
  return (
    <section>
      <h3>Bound to</h3>
      <Facts
        rows={[
          ['Folder', <CodeText key="cwd" text={cwd} />],
          [
            'Environment',
            variables.length === 0 ? (
              <span class="note">nothing changed</span>
            ) : (
              variables.map(([name, value]) => (
                <div key={name}>
                  <CodeText text={`${name}=${isWhole ? value : folded(value)}`} />
                </div>
              ))
            ),
          ],
          ...(pathPrepend.length === 0 ? [] : [['Before PATH', <Paths key="path" paths={pathPrepend} />] as const]),
          ['Terminal', pty ? 'yes: the agent can type anything into it afterwards' : 'no'],
          [
            'Programs',
            programs.map(({ real, identity }, i) => (
              <div key={i}>
                <CodeText text={real} />
                <span class="note"> inode {identity.split(':')[1] ?? 'unknown'}</span>
              </div>
            )),
          ],
          ...(files.length === 0
            ? []
            : [['Files', <Paths key="files" paths={files.map(({ path }) => path)} />] as const]),
        ]}
      />
      <p class="note">If any of this has changed when the command starts, it does not run.</p>
    </section>
  );
}

function Paths({ paths }: { readonly paths: readonly string[] }) {
  return paths.map((path) => (
    <div key={path}>
      <CodeText text={path} />
    </div>
  ));
}
