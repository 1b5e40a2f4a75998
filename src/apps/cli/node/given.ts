/** The options of `pincer node run` and `pincer node pair`. */
import { isatty } from 'node:tty';
import { parseInvitation } from '../../../hosts/identity/invitation.ts';
import { invalidName, isNodeName } from '../../../hosts/nodes/node-name.ts';
import type { Invitation } from '../../../wire/nodes/handshake.ts';
import type { NodeSettings } from '../../node/own-settings.ts';
import type { Output } from '../../terminal/output.ts';
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

export function givenOf(verb: string, { options, flags }: ParsedArguments, output: Output): GivenNode {
  const { gateway, name, workspace, invitation } = options;
  if (gateway !== undefined && invitation !== undefined)
    throw usage(
      shapeOf(definition, verb),
      '--gateway and --invitation exclude each other: the invitation contains the address',
    );
  if (name !== undefined && !isNodeName(name)) throw invalidName(name);
  const proxy = flags.has('proxy');
  if (proxy && invitation !== undefined)
    throw usage(
      shapeOf(definition, verb),
      '--proxy and --invitation exclude each other: the invitation says whether there is a proxy',
    );
  return {
    given: {
      ...(proxy ? { proxy } : {}),
      ...(gateway === undefined ? {} : { gateway }),
      ...(name === undefined ? {} : { name }),
      ...(workspace === undefined ? {} : { workspace: currentFolder(workspace, 'create the folder first') }),
    },
    ...(invitation === undefined ? {} : { invitation: invitationOf(invitation, output) }),
  };
}

function invitationOf(text: string, output: Output): Invitation {
  if (text !== '-') return parseInvitation(text);
  if (isatty(0)) output.err('paste the invitation, then press Enter\n');
  for (const { bytes } of inputLines(LONGEST_INVITATION)) return parseInvitation(bytes?.toString('utf8') ?? '');
  return parseInvitation('');
}
