import { useState } from 'preact/hooks';
import type { Login } from '../../../wire/page/login.ts';
import { FaultNote } from '../../components/callout.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { HostileText } from '../../components/hostile-text.tsx';
import { writeBlocked } from '../../state/link.ts';
import { call } from '../../state/server.ts';
import { browserName } from '../../../wire/page/browser-name.ts';

interface RevokeDialogProps {
  readonly login: Login;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function RevokeDialog({ login, onDone, onClose }: RevokeDialogProps) {
  const [error, setError] = useState<unknown>(undefined);
  const { id, name, role, browser = 'unknown browser' } = login;
  const submit = (): void => {
    setError(undefined);
    call('login.revoke', { id }).then(onDone, setError);
  };
  return (
    <Dialog
      title="Revoke this login?"
      onClose={onClose}
      action={{ kind: 'destructive', text: 'Revoke', blocked: writeBlocked.value, onPress: submit }}
    >
      <p>
        <HostileText text={`${name} (${role}, ${browserName(browser)})`} /> is logged out at once, with every login from
        a link that it created. To log in again, that person needs a new link.
      </p>
      {error === undefined ? undefined : <FaultNote error={error} />}
    </Dialog>
  );
}
