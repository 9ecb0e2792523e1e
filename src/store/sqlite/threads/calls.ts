import type { StoredDevice } from "../../../core/device.ts";
import type { MessageId, ServerId } from "../../../core/ids.ts";
import type { Server, ServerChange } from "../../../core/server.ts";
import type { Page } from "../../../core/criteria.ts";
import type { DayUsage } from "../../../core/usage.ts";
import type {
  Companions,
  FoldedCriteria,
  NewServer,
  RetirementRule,
  Stored,
  SummaryPage,
  WholeMessage,
} from "../../store.ts";
import type { AuditCalls } from "../account/audit.ts";
import type { Fault } from "../connection/errors.ts";
import type { KeyCalls } from "../account/keys.ts";
import type { LeavingCalls } from "../outbox/outbound.ts";
import type { IndexSettings, IndexStep } from "../text-index/index-work.ts";
import type { Parcel } from "../messages/message-batch.ts";
import type { ContentPart } from "../content/content.ts";
import type { RereadCalls } from "../messages/rereads.ts";
import type { SignInCalls } from "../account/sign-ins.ts";
import type { SegmentWrite } from "../text-index/segment-writes.ts";

/** What the writer's thread can be asked; all of it runs inside its transaction. */
export interface WriterCalls extends LeavingCalls, SignInCalls, RereadCalls, KeyCalls, AuditCalls {
  createServer(server: NewServer): Server;
  setServerPassword(id: ServerId, password: string, present?: string): boolean;
  updateServer(id: ServerId, change: ServerChange): Server | undefined;
  deleteServer(id: ServerId): boolean;
  addMessages(parcel: Parcel, companions: Companions): readonly Stored[];
  deleteMessage(id: MessageId): number | undefined;
  emptyServer(id: ServerId): number | undefined;
  retireMessages(server: ServerId, rule: RetirementRule): number;
  /** As `SegmentWrites.perform`. */
  writeSegment(write: SegmentWrite): number;
  addDevice(device: StoredDevice): void;
  removeDevice(id: string): boolean;
  raiseUsage(usage: readonly DayUsage[]): void;
  putZone(server: ServerId, zone: string): boolean;
  removeZone(server: ServerId): boolean;
  /** Does nothing; proves that the thread lives. */
  ready(): void;
  /** Proves that something new can be written. */
  probe(): void;
}

/** What the reader's thread can be asked: all that could hold up the thread of the sockets. */
export interface ReaderCalls {
  list(server: ServerId, page: Page): SummaryPage;
  /** `number` names the search to {@link cancelSearch}. */
  search(server: ServerId, criteria: FoldedCriteria, page: Page, number: number): SummaryPage;
  /** Ends a search, which rejects with `unavailable`; does nothing where it has ended. */
  cancelSearch(number: number): void;
  part(id: MessageId, name: ContentPart): Uint8Array | undefined;
  /** One piece of the raw bytes as they are stored; undefined when the message is gone. */
  rawPiece(id: MessageId, at: number): Uint8Array | undefined;
  /** As `readMessages` of the contract. */
  messages(server: ServerId, after: MessageId | null, bytesMax: number): readonly WholeMessage[];
  /** How many messages the index does not cover, of the servers that are large enough for one. */
  indexBacklog(): number;
}

/** What the indexer's thread finds when it starts. */
export interface IndexerSettings {
  readonly file: string;
  readonly index: IndexSettings;
}

/** One step of the indexer's, and how long it took. */
export interface IndexerStep {
  readonly isDone: boolean;
  readonly write: Exclude<IndexStep, undefined> | null;
  readonly tookMs: number;
}

/** What the indexer's thread can be asked. */
export interface IndexerCalls {
  /** Resumes the work with the answer to the write that it handed out last, if it did. */
  step(reply: number): IndexerStep;
}

/** What the backup's thread can be asked. */
export interface BackupCalls {
  /** Copies a database into a file that does not exist yet. */
  backup(database: string, file: string): void;
}

/** A set of calls that a thread answers. */
export type Calls = WriterCalls | ReaderCalls | IndexerCalls | BackupCalls;

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
