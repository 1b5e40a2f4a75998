import { useState } from 'preact/hooks';
import type { NodeInfo } from '../../../wire/nodes/node.ts';
import { FaultNote } from '../../components/callout.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/fields.tsx';
import { HostileText } from '../../components/hostile-text.tsx';
import { navigate } from '../../router.ts';
import { writeBlocked } from '../../state/link.ts';
import { call, loadNodes } from '../../state/server.ts';

interface NodeDialogProps {
  readonly node: NodeInfo;
  readonly onClose: () => void;
}

const LONGEST_NAME = 64;

export function RenameDialog({ node, onClose }: NodeDialogProps) {
  const [name, setName] = useState(node.name);
  const [error, setError] = useState<unknown>(undefined);
  const submit = (): void => {
    call('node.rename', { node: node.id, name: name.trim() })
      .then(() => loadNodes())
      .then(onClose, setError);
  };
  return (
    <Dialog
      title="Rename node"
      onClose={onClose}
      action={{ kind: 'main', text: 'Rename', blocked: writeBlocked.value, onPress: submit }}
    >
      <TextField
        label="Name"
        note="Settings that use the old name keep it. Use the id in settings to be independent of names."
        value={name}
        maxLength={LONGEST_NAME}
        autofocus
        onInput={setName}
      />
      {error === undefined ? undefined : <FaultNote error={error} />}
    </Dialog>
  );
}

export function RemoveDialog({ node, onClose }: NodeDialogProps) {
  const [error, setError] = useState<unknown>(undefined);
  const submit = (): void => {
    call('node.remove', { node: node.id })
      .then(() => loadNodes())
      .then(() => navigate('/nodes'), setError);
  };
  return (
    <Dialog
      title="Remove node"
      onClose={onClose}
      action={{ kind: 'destructive', text: 'Remove', blocked: writeBlocked.value, onPress: submit }}
    >
      <p>
        {node.state === 'revoked'
          ? 'It is already refused. This removes it from the list.'
          : 'This closes its connection and refuses it from now on. That machine ends the commands of this gateway and denies its open questions. To use it again, pair it again.'}
      </p>
      <p class="note">
        Node <HostileText text={node.name} />, <code>{node.id}</code>
      </p>
      {error === undefined ? undefined : <FaultNote error={error} />}
    </Dialog>
  );
}
