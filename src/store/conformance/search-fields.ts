import { expect, test } from "vitest";
import { foldText } from "../../core/fold.ts";
import { draft } from "./drafts.ts";
import { makeServer, useStore } from "./setup.ts";
import type { OpenStore } from "./setup.ts";

/** Search fields of messages that already have them; stores test those without. */
export function describeSearchFields(open: OpenStore): void {
  const store = useStore(open);

  test("lists no message that was stored with search fields, and does not replace them", async () => {
    const server = await makeServer(store());
    const message = draft(server, { fields: { attachment: [foldText("first.pdf")] } });
    await store().addMessages([message]);
    expect(await store().searchFields.countWithoutFields(server)).toBe(0);
    await store().searchFields.putFields([{ id: message.id, fields: { attachment: ["second.pdf"] }, sizeBytes: 1 }]);
    const page = {
      page: 0,
      itemsPerPage: 10,
      receivedAfter: null,
      direction: "Received",
      afterSequence: null,
    } as const;
    const named = async (term: string): Promise<number> =>
      (await store().findExpression(server, { kind: "part", part: "attachment", term }, page)).identities.length;
    expect([await named("first.pdf"), await named("second.pdf")]).toEqual([1, 0]);
  });

  test("ignores messages that do not exist", async () => {
    const { id } = draft(await makeServer(store()));
    await store().searchFields.putFields([{ id, fields: {}, sizeBytes: 1 }]);
    expect(await store().searchFields.listWithoutFields(null, 10)).not.toContain(id);
  });
}
