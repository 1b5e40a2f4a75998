/** Who types into a session. */
import { type Infer, number, object, string } from '../schema.ts';
import { inputSource } from './recording.ts';

/** The person who types into a session through the control page. */
export const controller = object({ by: string(), since: number() });
export type Controller = Infer<typeof controller>;

export const lastInput = object({ at: number(), source: inputSource });
export type LastInput = Infer<typeof lastInput>;
