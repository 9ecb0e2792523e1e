/** The shapes that the service sends: its own types, so that the two cannot drift apart. */
import type { WireKey, WireNewKey } from "../src/http/wire/key-schema.ts";
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
