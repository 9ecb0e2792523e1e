/** The shapes that the service sends: its own types, so that the two cannot drift apart. */
import type { WireDeliverability, WireVerdict } from "../src/http/wire/analysis-schema.ts";
import type { WireKey, WireNewKey } from "../src/http/wire/key-schema.ts";
import type { lintReportSchema } from "../src/http/wire/lint-schema.ts";
import type { WireSchema } from "../src/http/wire/schema.ts";
import type { WireCriteria } from "../src/http/wire/search-schema.ts";
import type { WireNewServer, WirePassword, WireServer } from "../src/http/wire/server-schema.ts";
import type { WireError } from "../src/http/wire/error-schema.ts";
import type {
  WireGlance,
  WireMessage,
  WirePart,
  WireSession,
  WireSummary,
  WireTrace,
} from "../src/http/wire/web-schema.ts";

/** The values that a schema describes. */
type ValueOf<Schema> = Schema extends WireSchema<infer Value> ? Value : never;

/** What JSON makes of a type: ids are plain text in a browser. */
type Plain<Value> = Value extends string
  ? Value extends { readonly __brand: string }
    ? string
    : Value
  : Value extends object
    ? { readonly [Key in keyof Value]: Plain<Value[Key]> }
    : Value;

/** A container of messages. */
export type Server = Plain<WireServer>;
/** A container that was just made. */
export type NewServer = Plain<WireNewServer>;
/** Item of lists. */
export type Summary = Plain<WireSummary>;
/** One message. */
export type Message = Plain<WireMessage>;
/** An attachment's record. */
export type Attachment = Message["attachments"][number];
/** A sender or recipient. */
export type Contact = Message["from"][number];
/** What a row shows beside its summary. */
export type Glance = Plain<WireGlance>;
/** How a message came and how it is built. */
export type Trace = Plain<WireTrace>;
/** A part of a mail. */
export type Part = Plain<WirePart>;
/** Who is signed in, and where things are. */
export type Session = WireSession;
/** A key without its secret. */
export type Key = Plain<WireKey>;
/** A key that was just made. */
export type NewKey = Plain<WireNewKey>;
/** The password of a server's mail access. */
export type Password = WirePassword;
/** Body of a search. */
export type Criteria = WireCriteria;
/** Body of a refusal. */
export type Refusal = WireError;
/** What the rules of good mail have to say of a message. */
export type LintReport = Plain<ValueOf<typeof lintReportSchema>>;
/** How likely a mail is to arrive. */
export type Deliverability = Plain<WireDeliverability>;
/** What one check of it has found. */
export type Verdict = Plain<WireVerdict>;
