import type { DatabaseSync } from "node:sqlite";
import { ChangeReads } from "../messages/changes.ts";
import { ignoreDamage, type OnDamage } from "../content/content-tables.ts";
import { Snapshot } from "../connection/connection.ts";
import { RecordReads } from "../account/record-stores.ts";
import { PageReads } from "../messages/pages.ts";
import { SegmentReads } from "../text-index/segments.ts";
import { ServerReads } from "../account/servers.ts";

/** All reads over one connection. */
export class Reads {
  readonly snapshot: Snapshot;
  readonly servers: ServerReads;
  readonly records: RecordReads;
  readonly changes: ChangeReads;
  readonly segments: SegmentReads;
  readonly pages: PageReads;

  constructor(database: DatabaseSync, onDamage: OnDamage = ignoreDamage) {
    this.snapshot = new Snapshot(database);
    this.servers = new ServerReads(database);
    this.records = new RecordReads(database);
    this.changes = new ChangeReads(database);
    this.segments = new SegmentReads(database);
    this.pages = new PageReads(database, this.servers, { changes: this.changes, onDamage });
  }
}
