import { build, orNull, refer, type ValueOf } from "./schema.ts";
import type { HeaderField } from "./message.ts";

/** Result of a one-click unsubscribe request (RFC 8058). */

/** Names of the checks, in the order in which they are made. */
export const unsubscribeCheckNames = [
  "list-unsubscribe",
  "https",
  "list-unsubscribe-post",
  "dkim",
  "target",
  "response",
  "confirmation",
  "duration",
] as const;

/** Schema of a check. */
export const unsubscribeCheckSchema = build.object(
  {
    name: build.enum(unsubscribeCheckNames, "Name of the check."),
    result: build.enum(["pass", "fail", "skipped"], "Result of the check."),
    text: build.string("Result in words."),
  },
  { $id: "UnsubscribeCheck" },
);

/** Check of the mail or of the response; `skipped` when an earlier one failed, or when it does not apply. */
export type UnsubscribeCheck = ValueOf<typeof unsubscribeCheckSchema>;

/** Schema of a report. */
export const unsubscribeReportSchema = build.object(
  {
    ok: build.boolean("Whether the request was sent and no check failed."),
    url: orNull(build.string("URL of the request; null when the mail names none.")),
    mailto: build.array(build.string(), "`mailto:` addresses, to which nothing is sent."),
    dkim: build.enum(
      ["pass", "none", "fail", "unverified"],
      "Whether a valid DKIM signature covers both header fields.",
    ),
    checks: build.array(refer(unsubscribeCheckSchema), "Checks of the mail and the response."),
    response: orNull(
      build.object(
        {
          status: build.integer("Status of the response."),
          durationMs: build.number("Milliseconds until the end of the response."),
        },
        "Null when the request was not sent or not answered.",
      ),
    ),
  },
  { $id: "UnsubscribeReport" },
);

/** Result of an unsubscribe request. */
export type UnsubscribeReport = ValueOf<typeof unsubscribeReportSchema>;

/**
 * DKIM signatures that cover List-Unsubscribe and List-Unsubscribe-Post (RFC 8058 §4): at least one is valid (`pass`); the
 * mail has no signature (`none`); no valid one covers both fields (`fail`); or DNS did not answer (`unverified`).
 */
export type UnsubscribeDkim = UnsubscribeReport["dkim"];

/** Response to the request; its body is judged and not shown. The duration begins with the look-up of the host. */
export type UnsubscribeResponse = NonNullable<UnsubscribeReport["response"]>;

/** Duration beyond which a response is slow: mailbox providers do not document theirs. */
export const unsubscribeMsMax = 5000;

/** Body of a one-click request, and value of List-Unsubscribe-Post (RFC 8058 §3.1, §3.2). */
export const oneClickBody = "List-Unsubscribe=One-Click";

/** Values of the fields of a mail. */
export interface UnsubscribeFields {
  /** Values of List-Unsubscribe; RFC 2369 allows one. */
  readonly list: readonly string[];
  /** URIs of the first List-Unsubscribe, in the sender's order of preference. */
  readonly uris: readonly string[];
  /** Values of List-Unsubscribe-Post; RFC 8058 allows one. */
  readonly post: readonly string[];
}

const uriCountMax = 20;

/** Returns the values of the fields. */
export function readUnsubscribeFields(headers: readonly HeaderField[]): UnsubscribeFields {
  const valuesOf = (name: string): readonly string[] =>
    headers.filter(({ field }) => field.toLowerCase() === name).map(({ value }) => value.trim());
  const list = valuesOf("list-unsubscribe");
  return { list, uris: unsubscribeUris(list[0] ?? ""), post: valuesOf("list-unsubscribe-post") };
}

/** Returns the URIs in angle brackets of a List-Unsubscribe field, without white space (RFC 2369 §2); at most 20. */
export function unsubscribeUris(value: string): readonly string[] {
  return Array.from(value.matchAll(/<([^<>]*)>/g), ([, uri = ""]) => uri.replaceAll(/\s/g, "")).slice(0, uriCountMax);
}

/** Whether a List-Unsubscribe-Post field allows one-click requests. */
export function isOneClick(value: string): boolean {
  return /^List-Unsubscribe=One-Click$/i.test(value);
}
