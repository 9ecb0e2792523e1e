/** Contract of the store of annotations: JSON documents about messages, beside them. */
import { annotationBytesMax } from "../core/limits.ts";
import type { MessageId } from "../core/ids.ts";

/** Kinds of annotations; a message has at most one of each. */
export const annotationKinds = ["transcript", "scan"] as const;

/**
 * Kind of an annotation: what the `scan` of the links of the message requested, or the `transcript` of a session that ends
 * after the commit; that of an SMTP session is part of the detail.
 */
export type AnnotationKind = (typeof annotationKinds)[number];

/** JSON document about a message, of at most {@link annotationBytesMax} bytes; opaque to the store. */
export interface Annotation {
  readonly kind: AnnotationKind;
  readonly json: string;
}

/**
 * Part of the store that holds annotations. They are deleted with their message, and count against the quota of the server: by
 * the bytes of their JSON, with their message. One that is added later counts too, and is stored even where it exceeds the quota.
 */
export interface AnnotationStore {
  /** Stores an annotation and replaces the former one of its kind; returns false when there is no such message. */
  putAnnotation(message: MessageId, annotation: Annotation): Promise<boolean>;
  /** Returns the JSON as it was stored; undefined when there is no such message or annotation. */
  getAnnotation(message: MessageId, kind: AnnotationKind): Promise<string | undefined>;
}

/** Throws when an annotation exceeds {@link annotationBytesMax}: callers shorten it before. */
export function requireAnnotationSize({ kind, json }: Annotation): void {
  const bytes = Buffer.byteLength(json);
  if (bytes > annotationBytesMax) throw new RangeError(`a ${kind} of ${bytes} bytes exceeds ${annotationBytesMax}`);
}
