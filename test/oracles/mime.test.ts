import { describe, expect, it } from "vitest";
import { corpus } from "../corpus/corpus.ts";
import { disagreements } from "./disagreements.ts";
import type { Disagreement } from "./disagreements.ts";
import { readMailparser, readOurs, readPostalMime } from "./reading.ts";
import type { Reading } from "./reading.ts";

type OracleName = Exclude<Disagreement["oracle"], "both">;

const oracles: Readonly<Record<OracleName, (raw: Buffer) => Promise<Reading>>> = {
  mailparser: readMailparser,
  "postal-mime": readPostalMime,
};
const members = ["subject", "from", "to", "cc", "text", "html", "fileNames", "contentIds", "contents"] as const;

const applies = (oracle: OracleName, mail: string) => (known: Disagreement) =>
  (known.oracle === oracle || known.oracle === "both") && known.mails.test(mail);

/** Undoes postal-mime's changes to attachments that are not base64: CRLF becomes LF, a final line end is added. */
const withoutLineEnds = (hex: string): string => hex.replaceAll("0d0a", "0a").replace(/(?:0a)+$/, "");

function differences(ours: Reading, other: Reading, oracle: OracleName): readonly (keyof Reading)[] {
  const comparable = (reading: Reading): Reading =>
    oracle === "postal-mime" ? { ...reading, contents: reading.contents.map(withoutLineEnds) } : reading;
  const [left, right] = [comparable(ours), comparable(other)];
  return members.filter((member) => JSON.stringify(left[member]) !== JSON.stringify(right[member]));
}

describe.each(["mailparser", "postal-mime"] as const)("compared with %s", (oracle) => {
  it.each(corpus)("parses $name with the same result", async ({ name, raw }) => {
    const known = disagreements.filter(applies(oracle, name)).flatMap((disagreement) => disagreement.members);
    const found = differences(readOurs(raw), await oracles[oracle](raw), oracle);
    expect(found.filter((member) => !known.includes(member))).toEqual([]);
  });

  it.each(disagreements.filter((known) => known.oracle === oracle || known.oracle === "both"))(
    "still disagrees: $reason",
    async (known) => {
      const mails = corpus.filter(({ name }) => applies(oracle, name)(known));
      const found = await Promise.all(
        mails.map(async ({ raw }) => differences(readOurs(raw), await oracles[oracle](raw), oracle)),
      );
      expect(found.flat().filter((member) => known.members.includes(member))).not.toEqual([]);
    },
  );
});
