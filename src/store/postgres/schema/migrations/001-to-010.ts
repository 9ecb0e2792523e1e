import type { Migration } from "../migration.ts";
import { serversAndMessages } from "./001-servers-and-messages.ts";
import { account } from "./002-account.ts";
import { nodes } from "./003-nodes.ts";
import { indexedText } from "./004-indexed-text.ts";
import { signIns } from "./005-sign-ins.ts";
import { compressedText } from "./006-compressed-text.ts";
import { rereads } from "./007-rereads.ts";
import { keyLimits } from "./008-key-limits.ts";
import { longTexts } from "./009-long-texts.ts";
import { verificationMails } from "./010-verification-mails.ts";

/** Migrations to the versions 1 to 10, in order. */
export const firstMigrations: readonly Migration[] = [
  { sql: serversAndMessages, suitsOlderPrograms: false },
  { sql: account, suitsOlderPrograms: false },
  { sql: nodes, suitsOlderPrograms: false },
  { sql: indexedText, suitsOlderPrograms: true },
  { sql: signIns, suitsOlderPrograms: true },
  { sql: compressedText, suitsOlderPrograms: true },
  { sql: rereads, suitsOlderPrograms: true },
  { sql: keyLimits, suitsOlderPrograms: false },
  { sql: longTexts, suitsOlderPrograms: false },
  { sql: verificationMails, suitsOlderPrograms: true },
];
