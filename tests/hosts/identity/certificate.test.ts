import { createPrivateKey, X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { selfSignedCertificate } from '../../../src/hosts/identity/certificate.ts';

const YEAR_MS = 365.25 * 24 * 60 * 60 * 1000;

it('is a valid X.509 certificate of its own key for ten years', () => {
  const { cert, key } = selfSignedCertificate();
  const parsed = new X509Certificate(cert);
  expect({
    subject: parsed.subject,
    issuer: parsed.issuer,
    isOwn: parsed.verify(parsed.publicKey) && parsed.checkPrivateKey(createPrivateKey(key)),
    curve: parsed.publicKey.asymmetricKeyDetails,
  }).toEqual({
    subject: 'CN=pincer gateway',
    issuer: 'CN=pincer gateway',
    isOwn: true,
    curve: { namedCurve: 'prime256v1' },
  });
  const [from, to] = [Date.parse(parsed.validFrom), Date.parse(parsed.validTo)];
  expect(from).toBeLessThan(Date.now());
  expect(Math.round((to - Date.now()) / YEAR_MS)).toBe(10);
});

it('has another serial number and key each time', () => {
  const made = Array.from({ length: 5 }, () => new X509Certificate(selfSignedCertificate().cert));
  expect(new Set(made.map(({ serialNumber }) => serialNumber)).size).toBe(5);
  expect(new Set(made.map(({ fingerprint256 }) => fingerprint256)).size).toBe(5);
});
