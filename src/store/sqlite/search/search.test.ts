import { criteriaExpression } from "../../../core/search/build-expression.ts";
import type { Criteria } from "../../../core/criteria.ts";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { ServerId } from "../../../core/ids.ts";
import { aDirectory } from "../../conformance/directory.ts";
import { aServer, draft, page } from "../../conformance/drafts.ts";
import { idsOf } from "../../conformance/setup.ts";
import type { SummaryPage } from "../../store.ts";
import { databaseFileName } from "../connection/store-directory.ts";
import { Journal } from "../messages/changes.ts";
import { Statements, connectReader, connectWriter } from "../connection/connection.ts";
import { defaultIndexSettings } from "../text-index/index-work.ts";
import { MessageWrites } from "../messages/messages.ts";
import { openSqliteStore } from "../open.ts";
import { decodeBatch, encodeBatch } from "../messages/message-batch.ts";
import { sourceOf } from "./expression-dialect.ts";
import { Reads } from "../threads/reads.ts";
import { Search } from "./search.ts";
import { recordRowsOf } from "../account/record-stores.ts";
import { queryRunner } from "../connection/dialect.ts";

describe("a search in slices", () => {
  let file = "";
  let server: ServerId = aServer().id;

  beforeEach(async () => {
    const directory = await aDirectory();
    file = path.join(directory, databaseFileName);
    // Without an index every message is compared.
    const index = { ...defaultIndexSettings, serverMessageCountMin: Infinity };
    const store = await openSqliteStore({ directory, durable: false, index });
    server = (await store.createServer(aServer())).id;
    for (let start = 0; start < 10_000; start += 1000) {
      const fields = { raw: "", detail: "", subject: "old" };
      await store.addMessages(Array.from({ length: 1000 }, () => draft(server, fields)));
    }
    await store.close();
  });

  function open(criteria: Criteria) {
    const database = connectReader(file);
    const reads = new Reads(database);
    const { servers, changes, segments } = reads;
    const sources = { statements: new Statements(database), servers, changes, segments, sliceMsMax: 5 };
    const search = new Search(sources, {
      server,
      expression: criteriaExpression(criteria),
      page: page(),
      result: "summaries",
    });
    const step = () => reads.snapshot.read(() => search.step()) as SummaryPage | undefined;
    return {
      step,
      close: () => {
        database.close();
      },
    };
  }

  function finish(step: () => SummaryPage | undefined): SummaryPage {
    for (;;) {
      const result = step();
      if (result !== undefined) return result;
    }
  }

  test("starts again when its server is emptied in between, and finds newer messages", () => {
    const { step, close } = open({ subject: "new", match: "ALL" });
    expect(step()).toBeUndefined();
    const fresh = draft(server, { subject: "new" });
    using database = connectWriter({ file, durable: false, sizeBytesMax: null });
    const journal = new Journal(database);
    queryRunner(database)(recordRowsOf(journal).servers.emptyServer(server));
    new MessageWrites(database, journal).add(decodeBatch(encodeBatch([fresh])));
    const result = finish(step);
    expect(idsOf(result)).toEqual([fresh.id]);
    expect(result).toMatchObject({ cursor: 10_002, total: 1 });
    close();
  });

  test("finds nothing when its server is deleted in between", () => {
    const { step, close } = open({ subject: "new", match: "ALL" });
    expect(step()).toBeUndefined();
    using database = connectWriter({ file, durable: false, sizeBytesMax: null });
    queryRunner(database)(recordRowsOf(new Journal(database)).servers.deleteServer(server));
    expect(finish(step)).toMatchObject({ count: 0, cursor: 0 });
    close();
  });
});

test("uses the address index when every match must have an address, that of the recipient first", () => {
  const source = (criteria: Criteria) => sourceOf(criteriaExpression(criteria), [])?.parameters["required"];
  const all = { sentFrom: "a", sentTo: "b", subject: "c", body: "d", match: "ALL" as const };
  expect(source(all)).toBe("b");
  expect(source({ sentFrom: "a", subject: "c", match: "ALL" })).toBe("a");
  expect(source({ subject: "c", match: "ALL" })).toBeUndefined();
  expect(source({ ...all, match: "ANY" })).toBeUndefined();
});
