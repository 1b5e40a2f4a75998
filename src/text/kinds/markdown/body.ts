import { Fault } from '../../../base/fault.ts';
import type { Kind } from '../../kind.ts';
import { markdownKind } from './document.ts';

/** Markdown for addresses outside the frontmatter. Does not load the YAML adapter. */
export const markdownBody: Kind = markdownKind(() => {
  throw new Fault('INTERNAL_ERROR', 'an address outside the frontmatter entered it');
});
