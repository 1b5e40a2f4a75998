import { Fault } from '../../../base/fault.ts';
import type { Kind } from '../../kind.ts';
import { markdownKind } from './document.ts';

/** Markdown for addresses that stay out of the frontmatter: it comes without the YAML adapter. */
export const markdownBody: Kind = markdownKind(() => {
  throw new Fault('INTERNAL_ERROR', 'the frontmatter was entered by an address that does not name it');
});
