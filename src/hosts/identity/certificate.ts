/**
 * A self-signed certificate for the TLS of a gateway, in DER (X.509 v3, RFC 5280). Nodes do not verify it: the handshake proves
 * the key of the gateway for this TLS connection.
 */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OBJECT_ID = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const VERSION = 0xa0;

/** 1.2.840.10045.4.3.2, ecdsa-with-SHA256 */
const ECDSA_SHA256 = Buffer.from('2a8648ce3d040302', 'hex');
/** 2.5.4.3, commonName */
const COMMON_NAME = Buffer.from('550403', 'hex');
const SUBJECT = 'pincer gateway';
const YEARS = 10;
const DAY_MS = 24 * 60 * 60 * 1000;

export interface CertificateFiles {
  /** PEM. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

/** A new P-256 key, valid for 10 years. */
export function selfSignedCertificate(subject = SUBJECT): CertificateFiles {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const now = new Date();
  const end = new Date(now);
  end.setUTCFullYear(now.getUTCFullYear() + YEARS);
  const algorithm = der(SEQUENCE, der(OBJECT_ID, ECDSA_SHA256));
  const name = der(
    SEQUENCE,
    der(SET, der(SEQUENCE, der(OBJECT_ID, COMMON_NAME), der(UTF8_STRING, Buffer.from(subject)))),
  );
  const serial = randomBytes(16);
  serial[0] = (serial[0]! & 0x3f) | 0x40; // positive, and without a leading zero
  const content = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Buffer.of(2))), // v3
    der(INTEGER, serial),
    algorithm,
    name,
    der(SEQUENCE, time(new Date(now.getTime() - DAY_MS)), time(end)), // clocks differ
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = sign('sha256', content, privateKey);
  const certificate = der(SEQUENCE, content, algorithm, der(BIT_STRING, Buffer.of(0), signature));
  return { cert: pem(certificate), key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

/** One value: tag, length, content. */
function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.concat(content);
  const length =
    bytes.length < 0x80
      ? [bytes.length]
      : bytes.length < 0x100
        ? [0x81, bytes.length]
        : [0x82, bytes.length >>> 8, bytes.length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...length), bytes]);
}

/** `20261118001500Z`. RFC 5280 requires the form without a century for years before 2050. */
function time(date: Date): Buffer {
  const text = date.toISOString().replaceAll(/[-:T]|\.\d+/gu, '');
  return date.getUTCFullYear() < 2050
    ? der(UTC_TIME, Buffer.from(text.slice(2)))
    : der(GENERALIZED_TIME, Buffer.from(text));
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').replaceAll(/.{64}/gu, '$&\n').trimEnd();
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}
