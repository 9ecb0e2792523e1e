/** Order of test files: long ones first, so that none of them runs alone at the end, and those of a project together. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take more than some seconds, about the longest first within each project. A stale list only makes a run longer. */
const slowFiles: readonly string[] = [
  "test/snippets/snippets.test.ts",
  "test/journeys/disk-full.test.ts",
  "test/package/package.test.ts",
  "compat/node/clients.test.ts",
  "test/journeys/memory.test.ts",
  "src/store/postgres/postgres-store.test.ts",
  "src/store/postgres/text-index/indexed-store.test.ts",
  "test/journeys/web/web-narrow.test.ts",
  "test/journeys/web/web-wide.test.ts",
  "src/previews/renderer.test.ts",
  "src/store/sqlite/sqlite-store.test.ts",
  "test/journeys/web/web-accessibility.test.ts",
  "src/store/sqlite/text-index/index-memory.test.ts",
  "test/journeys/web/web-messages.test.ts",
  "src/store/postgres/text-index/text-index.test.ts",
  "test/journeys/web/web-layout.test.ts",
  "test/journeys/web/web-hostile.test.ts",
  "src/store/sqlite/indexed-store.test.ts",
  "test/journeys/web/web-permissions.test.ts",
  "test/journeys/web/web-settings.test.ts",
  "test/journeys/web/web-everyday.test.ts",
  "test/journeys/nodes.test.ts",
  "test/journeys/outbound.test.ts",
  "test/journeys/request-examples.test.ts",
  "test/journeys/callback-delivery.test.ts",
  "test/transfer/round-trip.test.ts",
  "test/transfer/broken-off.test.ts",
  "test/journeys/outages.test.ts",
  "src/app/background/rendered-visits.test.ts",
  "test/transfer/hostile.test.ts",
  "test/journeys/lifecycle.test.ts",
  "src/store/postgres/connection/connection.test.ts",
  "test/journeys/hostile-recipients.test.ts",
  "test/journeys/backup-and-check.test.ts",
  "src/store/sqlite/crash.test.ts",
  "src/store/sqlite/damage.test.ts",
  "test/journeys/relay.test.ts",
  "test/journeys/crash.test.ts",
  "src/http/routes/messages/unsubscribe-message.test.ts",
  "test/journeys/senders.test.ts",
  "src/store/postgres/connection/database.test.ts",
  "src/providers/conformance/conformance.test.ts",
  "src/store/sqlite/text-index/index-model.test.ts",
  "test/journeys/sms.test.ts",
  "test/transfer/command-line.test.ts",
  "src/providers/conformance/callback-conformance.test.ts",
  "test/journeys/unreachable-database.test.ts",
  "test/journeys/operator.test.ts",
  "src/store/sqlite/search/candidates.test.ts",
  "src/store/postgres/content/external-content.test.ts",
  "src/cli/environment/shell-syntax.test.ts",
  "src/store/postgres/connection/unknown-commit.test.ts",
  "src/http/route-table.test.ts",
  "src/store/postgres/search/expression-search.test.ts",
  "test/journeys/webhooks.test.ts",
  "src/store/postgres/messages/distributed-store.test.ts",
  "src/store/postgres/schema/schema.test.ts",
  "test/journeys/scheduled-mail.test.ts",
  "src/operations/services/reading/reading-growth.test.ts",
  "src/store/signatures/segment-filter.test.ts",
  "src/mime/structured-growth.test.ts",
  "src/store/signatures/signatures.test.ts",
];

/**
 * Projects in the order in which they run. A worker runs further files of its project without loading their modules again,
 * and is replaced when the next file is of another one. The last has the most short files, so no worker is idle at the end.
 */
const projects: readonly string[] = ["web with replaced modules", "web", "PostgreSQL", "isolated", "units"];

/**
 * Files that run before the projects. Each takes a worker for long, which leaves one or two for the component tests: those
 * load more modules than others, and each further worker would load them again.
 */
const firstFiles: readonly string[] = slowFiles.slice(0, 4);

/** Sorts by project, then the slow files first, then by Vitest's own order (larger files first). */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted(
      (a, b) =>
        place(firstFiles, a) - place(firstFiles, b) ||
        projects.indexOf(a.project.name) - projects.indexOf(b.project.name) ||
        place(slowFiles, a) - place(slowFiles, b),
    );
  }
}

/** Returns the index of the file in the list; the length of the list if it is not in it. */
function place(list: readonly string[], { moduleId }: TestSpecification): number {
  const index = list.findIndex((path) => moduleId.endsWith(`/${path}`));
  return index === -1 ? list.length : index;
}
