import { serversAndMessages } from "./001-servers-and-messages.ts";
import { gramIndex } from "./002-gram-index.ts";
import { account } from "./003-account.ts";
import { outbound } from "./004-outbound.ts";
import { sealedNumbers } from "./005-sealed-numbers.ts";
import { signIns } from "./006-sign-ins.ts";
import { rawChunks } from "./007-raw-chunks.ts";
import { rereads } from "./008-rereads.ts";
import { signatures } from "./009-signatures.ts";
import { keyLimits } from "./010-key-limits.ts";

/** Migrations to the versions 1 to 10, in order. */
export const firstMigrations: readonly string[] = [
  serversAndMessages,
  gramIndex,
  account,
  outbound,
  sealedNumbers,
  signIns,
  rawChunks,
  rereads,
  signatures,
  keyLimits,
];
