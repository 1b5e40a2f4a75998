/** The options of `pincer node run` and `pincer node pair`. */
import { parseInvitation } from '../../../hosts/identity/invitation.ts';
import type { Invitation } from '../../../wire/nodes/handshake.ts';
import type { NodeSettings } from '../../node/own-settings.ts';
import { type ParsedArguments, usage } from '../arguments.ts';
import { currentFolder } from '../current-folder.ts';
import { shapeOf } from '../definition.ts';
import { inputLines } from '../input.ts';
import { definition } from './definition.ts';

const LONGEST_INVITATION = 8 * 1024;

/** What the command line says about the connection. */
export interface GivenNode {
  readonly given: NodeSettings;
  readonly invitation?: Invitation;
}

export function givenOf(verb: string, { options }: ParsedArguments): GivenNode {
  const { gateway, name, workspace, invitation } = options;
  if (gateway !== undefined && invitation !== undefined)
    throw usage(
      shapeOf(definition, verb),
      '--gateway and --invitation exclude each other: the invitation contains the address',
    );
  return {
    given: {
      ...(gateway === undefined ? {} : { gateway }),
      ...(name === undefined ? {} : { name }),
      ...(workspace === undefined ? {} : { workspace: currentFolder(workspace, 'create the folder first') }),
    },
    ...(invitation === undefined ? {} : { invitation: invitationOf(invitation) }),
  };
}

function invitationOf(text: string): Invitation {
  if (text !== '-') return parseInvitation(text);
  for (const { bytes } of inputLines(LONGEST_INVITATION)) return parseInvitation(bytes?.toString('utf8') ?? '');
  return parseInvitation('');
}
