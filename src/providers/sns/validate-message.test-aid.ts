/** Verification by AWS's validator of messages of Amazon SNS, which fetches the certificate from a host of AWS. */
import https from "node:https";
import { createRequire } from "node:module";
import { Readable } from "node:stream";
import type { CallbackRequest } from "../callbacks.ts";

type Validator = new () => {
  readonly validate: (message: string, done: (error: Error | null) => void) => void;
};

const require = createRequire(import.meta.url);
const path = require.resolve("sns-validator");

/** Returns whether the validator accepts a message whose certificate, at any URL, is this one. */
export async function acceptsMessage({ body }: CallbackRequest, certificate: string): Promise<boolean> {
  // The validator keeps certificates by URL for as long as it is loaded.
  delete require.cache[path];
  const MessageValidator = require(path) as Validator;
  const original = https.get;
  const get = (_url: string, respond: (response: unknown) => void): unknown => {
    respond(Object.assign(Readable.from([Buffer.from(certificate)]), { statusCode: 200 }));
    return { on: () => undefined };
  };
  https.get = get as typeof https.get;
  try {
    return await new Promise((resolve) => {
      new MessageValidator().validate(Buffer.from(body).toString("utf8"), (error) => {
        resolve(error === null);
      });
    });
  } finally {
    https.get = original;
  }
}
