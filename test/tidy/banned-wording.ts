/** A wording that was replaced throughout the project, and its replacement. */
export interface BannedWording {
  readonly found: RegExp;
  readonly instead: string;
}

const ban = (found: RegExp, instead: string): BannedWording => ({ found, instead });

/** Phrases in prose, strings and comments. Add to this list what a review finds. */
export const bannedPhrases: readonly BannedWording[] = [
  ban(/\bname systems?\b/i, "DNS or resolver"),
  ban(/\broad back\b/i, "inbound replies, bounces, or webhooks"),
  ban(/\bmail programs?\b/i, "email client"),
  ban(/\bbegins? anew\b/i, "re-exec or restart"),
  ban(/\bwhat is to become of\b/i, "outcome of"),
  ban(/\bwhat became of\b/i, "the outcome of"),
  ban(/\bof this house\b|\bthe house rules?\b|\bhouse rules?\b/i, "project rules"),
  ban(/\bnow and then\b/i, "periodically"),
  ban(/\bsays? nothing to nobody\b/i, "sends a keep-alive"),
  ban(/\bwhoever\b/i, "name the subject"),
  ban(/\bthere is no such thing\b/i, "Not found"),
  ban(/\bdoes not know that method\b/i, "Method not allowed"),
  ban(/\bcannot take this now\b/i, "is temporarily unavailable; retry later"),
  ban(/\bthose (?:who|that) (?:wait|hear|listen|ask|look)\b/i, "waiters, subscribers, or callers"),
  ban(/\bwho looks? on\b|\blooks? on for long\b/i, "subscriber"),
  ban(/\bhear[sd]? of\b/i, "is notified of, or receives"),
  ban(/\bin company\b/i, "as a group (group commit)"),
  ban(/\bgone for good\b/i, "deleted permanently"),
  ban(/\bof ours\b/i, "our own, or name it"),
  ban(/\bit is well\b|\bwhether it is well\b/i, "healthy"),
  ban(/\bone after another, each as a whole\b/i, "serialised"),
  ban(/\bone after another\b/i, "in sequence, or one at a time"),
  ban(/\blets? go\b/i, "releases or evicts"),
  ban(/\bis borne\b|\bbears? with\b|\bcannot bear\b/i, "is tolerated, or rejects"),
  ban(/\bheld against\b/i, "checked against"),
  ban(/\bat the door\b/i, "on the listener, or on connect"),
  ban(/\bwithout a word\b/i, "silently"),
  ban(/\bas it were\b/i, "leave it out"),
  ban(/\bcome to nothing\b|\bcame to nothing\b/i, "failed"),
  ban(/\bmade up\b/i, "generated"),
  ban(/\bnot to be had\b/i, "unavailable"),
  ban(/\bcannot be had\b/i, "is unavailable"),
  ban(/\bsuch as lie\b/i, "that are"),
  ban(/\banswered with status\b/i, "responded with status"),
  ban(/\bare sought\b/i, "are searched for"),
  ban(/\bcomes? of\b/i, "results from"),
  ban(/\bgives out\b/i, "exports, or returns"),
  ban(/\ban orderly end\b/i, "a graceful stop"),
  ban(/\bwords between nodes\b/i, "notifications between nodes"),
  ban(/\bbrings? forward\b/i, "migrates"),
  ban(/\bhands? on\b/i, "passes, or delivers"),
  ban(/\bwith whom\b/i, "name the subject"),
  ban(/\bit is well\b/i, "healthy"),
  ban(/\bthe same again\b/i, "the same result"),
  ban(/\bis there already\b/i, "exists"),
  ban(/\bis there with another\b/i, "exists with a different"),
  ban(/\bthe present ones?\b/i, "the current one"),
  ban(/\bweb[ -]hooks?\b/i, "webhook"),
  ban(/\b(?:SMTP|HTTP|web) doors?\b/i, "SMTP or HTTP listener, HTTP API, or web UI"),
];

/** Names of identifiers and files. */
export const bannedNames: readonly BannedWording[] = [
  ban(/\b(?:create)?Bell\b|\bbell\b/, "Notifier"),
  ban(/\bGround\b/, "BaseDependencies"),
  ban(/\w*Needs\b/, "…Dependencies"),
  ban(/\w*Surroundings\b|\bsurroundings\b/, "environment or dependencies"),
  ban(/\b(?:Web)?House\b/, "dependencies"),
  ban(/\bdeparture(?:Of|s)?\b|\bDeparture\b/, "outbound"),
  ban(/\b\w*Leaving\w*\b|\bleaving[A-Z-]\w*/, "outbound"),
  ban(/\bglance[A-Z-]\w*|\b\w*Glances?\b/, "excerpt"),
  ban(/\b[a-z]+Parcels?\b|\bparcel[A-Z-]\w*/, "batch"),
  ban(/\bretire[A-Z-]\w*|\bRetire\w*/, "expire or evict"),
  ban(/\bpiecewise\w*\b/i, "chunked"),
  ban(/\b\w*Doors?(?:[A-Z]\w*)?\b|-door\b/, "…Server or …Listener"),
];
