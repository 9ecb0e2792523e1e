/** Limits of what a request body may make of its bytes; the sizes of bodies are in `limits.ts`. */
import type { ArrivalRule } from "./arrival-rate.ts";

/** Most values of a JSON body; a request with 1000 recipients and 100 variables for each has fewer. */
export const jsonValueCountMax = 250_000;

/** Most nested arrays and objects of a JSON body; deeper values cannot be serialised again with a small stack. */
export const jsonDepthMax = 100;

/** Longest name of a member of a JSON object or of a form field, in bytes as written. */
export const bodyNameBytesMax = 1000;

/** Most fields of a form; a bulk mail of the AWS Query protocol, with 50 destinations of 50 recipients, has fewer. */
export const formFieldCountMax = 10_000;

/**
 * Slowest arrival of a request body: at least so many bytes in each period until it is complete. The rate is the one below
 * which `mod_reqtimeout` of Apache closes connections by default.
 */
export const bodyArrival: ArrivalRule = { periodMs: 20_000, bytesMin: 10_000 };

/** Largest body that is read before its sender is authenticated, because its credentials or its signature are in it. */
export const unauthenticatedBodyBytesMax: number = 64 * 1024;
