/** A minimal PDF, one text per page; `''` is a page without text. */
export function pdfOf(
  pages: readonly string[],
  extra: { readonly trailer?: string; readonly stream?: Uint8Array } = {},
): Uint8Array {
  const kids = pages.map((_, i) => `${4 + i * 2} 0 R`).join(' ');
  const objects: (string | Uint8Array)[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  for (const [i, text] of pages.entries()) {
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + i * 2} 0 R >>`,
    );
    const shown = text
      .split('\n')
      .map((line) => `(${line.replace(/[()\\]/gu, '\\$&')}) Tj T*`)
      .join(' ');
    const content = text === '' ? '' : `BT /F1 12 Tf 14 TL 72 700 Td ${shown} ET`;
    objects.push(extra.stream ?? `<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
  }
  return assemble(objects, extra.trailer ?? '');
}

function assemble(objects: readonly (string | Uint8Array)[], trailer: string): Uint8Array {
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')];
  const offsets: number[] = [];
  let length = parts[0]!.length;
  const add = (part: Buffer) => {
    parts.push(part);
    length += part.length;
  };
  for (const [i, object] of objects.entries()) {
    offsets.push(length);
    add(Buffer.from(`${i + 1} 0 obj\n`));
    add(Buffer.from(object));
    add(Buffer.from('\nendobj\n'));
  }
  const start = length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  add(Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`));
  add(Buffer.from(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`));
  return new Uint8Array(Buffer.concat(parts));
}
