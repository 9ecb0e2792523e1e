import { broken } from "./broken.ts";
import { charsets } from "./charsets.ts";
import { composeAll } from "./composed.ts";
import type { CorpusMail } from "./corpus-mail.ts";
import { mailers } from "./mailers.ts";
import { fileNames } from "./names.ts";

/** Every mail the tests have, made anew in each run and the same in each; none of it is anybody's. */
export const corpus: readonly CorpusMail[] = [
  ...(await composeAll()),
  ...mailers,
  ...charsets,
  ...fileNames,
  ...broken,
];
