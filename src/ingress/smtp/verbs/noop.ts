import { reply } from "../reply.ts";
import type { Verb } from "../session.ts";

const done = reply("250 2.0.0", "Ok");

/** NOOP (RFC 5321 §4.1.1.9): changes nothing, with or without an argument. */
export const noop: Verb = () => done;
