import { type Blocks, HEADING } from './blocks/records.ts';
import { scanBlocks } from './blocks/scan.ts';
import { Frontmatter, type FrontmatterReader, frontmatterSpan } from './frontmatter.ts';
import { MAX_NAME, withoutMarks } from './inline.ts';
import { type Outline, outlineOf, type Section } from './outline.ts';
import { slugify } from './slug.ts';

/** A Markdown text with its blocks and outline. The body is scanned on first use, so frontmatter alone needs no scan. */
export class MarkdownSource {
  readonly text: string;
  readonly read: FrontmatterReader;
  readonly frontmatter: Frontmatter | undefined;
  readonly bodyStart: number;
  #blocks: Blocks | undefined;
  #outline: Outline | undefined;

  constructor(text: string, read: FrontmatterReader) {
    this.text = text;
    this.read = read;
    const span = frontmatterSpan(text);
    this.frontmatter = span && new Frontmatter(text, span, read);
    this.bodyStart = span?.end ?? (text.charCodeAt(0) === 0xfeff ? 1 : 0);
  }

  get blocks(): Blocks {
    this.#blocks ??= scanBlocks(this.text, this.bodyStart);
    return this.#blocks;
  }

  get outline(): Outline {
    this.#outline ??= outlineOf(this.blocks.headings, this.text.length);
    return this.#outline;
  }

  headingText(section: Section): string {
    const { headings } = this.blocks;
    return this.text.slice(
      headings.get(section.heading, HEADING.CONTENT),
      headings.get(section.heading, HEADING.CONTENT_END),
    );
  }

  sectionSlug(section: Section): string {
    return slugify(withoutMarks(this.headingText(section).slice(0, MAX_NAME)));
  }
}
