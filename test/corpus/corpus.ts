import { broken } from "./broken.ts";
import { charsets } from "./charsets.ts";
import { composeAll } from "./composed.ts";
import type { CorpusMail } from "./corpus-mail.ts";
import { mailers } from "./mailers.ts";
import { fileNames } from "./names.ts";

/** All mails of the tests, generated the same in every run; none is from a real mailbox. */
export const corpus: readonly CorpusMail[] = [
  ...(await composeAll()),
  ...mailers,
  ...charsets,
  ...fileNames,
  ...broken,
];
