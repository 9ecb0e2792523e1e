import type { ApiKey } from "../../core/api-key.ts";
import type { MessageId, ServerId } from "../../core/ids.ts";
import type { Server, ServerChange } from "../../core/server.ts";
import type { Page } from "../../core/criteria.ts";
import type { Companions, FoldedCriteria, NewServer, RetirementRule, Stored, SummaryPage } from "../store.ts";
import type { Fault } from "./faults.ts";
import type { LeavingCalls } from "./leaving.ts";
import type { Parcel } from "./parcel.ts";
import type { ContentPart } from "./content.ts";

/** What the writer's thread can be asked; all of it runs inside its transaction. */
export interface WriterCalls extends LeavingCalls {
  createServer(server: NewServer): Server;
  updateServer(id: ServerId, change: ServerChange): Server | undefined;
  deleteServer(id: ServerId): boolean;
  addKey(key: ApiKey): void;
  removeKey(id: string): boolean;
  addMessages(parcel: Parcel, companions: Companions): readonly Stored[];
  deleteMessage(id: MessageId): number | undefined;
  emptyServer(id: ServerId): number | undefined;
  retireMessages(server: ServerId, rule: RetirementRule): number;
  /** Does nothing; proves that the thread lives. */
  ready(): void;
  /** Proves that something new can be written. */
  probe(): void;
}

/** What the reader's thread can be asked: all that could hold up the thread of the sockets. */
export interface ReaderCalls {
  list(server: ServerId, page: Page): SummaryPage;
  search(server: ServerId, criteria: FoldedCriteria, page: Page): SummaryPage;
  part(id: MessageId, name: ContentPart): Uint8Array | undefined;
}

/** What the backup's thread can be asked. */
export interface BackupCalls {
  /** Copies a database into a file that does not exist yet. */
  backup(database: string, file: string): void;
}

/** A set of calls that a thread answers. */
export type Calls = WriterCalls | ReaderCalls | BackupCalls;

/** One call on its way to a thread. */
export interface Request {
  readonly number: number;
  readonly name: string;
  readonly parameters: readonly unknown[];
}

/** Its answer; exactly one of both members is there, and a missing `result` is `undefined`. */
export interface Answer {
  readonly number: number;
  readonly result?: unknown;
  readonly fault?: Fault;
}

/** Ends a thread after all calls that came before. */
export const closeCall = "close";
