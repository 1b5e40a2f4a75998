import { engineEscapes } from '../../support/engines/contender.ts';

await engineEscapes('docker');
